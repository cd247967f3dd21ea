"""What attacks on a memory say in other languages: the words that nearly all of them need. Matched on folded text.

Fifteen languages: Spanish, French, German, Italian, Portuguese, Russian, Ukrainian, Turkish, Vietnamese, Indonesian, Tagalog,
Japanese, Korean, Thai, Hindi, Bengali and Arabic. No language here is covered as well as Chinese and English are.
"""

from __future__ import annotations

_KEYWORD = (
    r"(?:contraseña|clave secreta|mot de passe|clé secrète|passwort|kennwort|geheim(?:schlüssel|er schlüssel)|chiave segreta|parola d'ordine|senha|chave secreta|palavra-passe"
    r"|парол\w*|секретн\w+ ключ\w*|şifre\w*|parola\w*|gizli anahtar\w*|mật khẩu|khóa bí mật|chìa khóa bí mật|kata sandi|kunci rahasia|(?:ang|iyong|mga) password|password (?:mo|para)|la password|tua password|lihim na susi"
    r"|パスワード|秘密(?:の)?(?:鍵|キー)|暗号|비밀번호|비밀 ?키|암호|รหัสผ่าน|คีย์ลับ|กุญแจลับ|पासवर्ड|गुप्त कुंजी|सीक्रेट की|পাসওয়ার্ড|পাসওয়ার্ড|গোপন কী|গোপন চাবি|كلمة (?:ال)?(?:مرور|سر)|المفتاح السري|مفتاحك السري)"
)
_IGNORE = (
    r"(?:ignor\w*|olvid\w*|descarta\w*|oubli\w*|néglige\w*|vergiss|vergesst|vergessen sie|missachte\w*|ignoriere\w*|dimentica\w*|trascura\w*|esque[çc]a\w*|desconsider\w*"
    r"|игнорир\w*|проигнорир\w*|забуд\w*|пренебре\w*|unut\w*|yok say\w*|göz ardı|görmezden|dikkate alma\w*|bỏ qua|quên|phớt lờ|abaikan|lupakan|kalimutan|huwag pansinin|balewalain|ipagwalang"
    r"|無視|忘れ|무시|잊|เพิกเฉย|ละเว้น|อย่าไปสนใจ|อย่าสนใจ|ลืม|ไม่สนใจ|अनदेखा|नज़रअंदाज|नजरअंदाज|भूल|अवहेलना|उपेक्षा|উপেক্ষা|ভুলে|অবহেলা|تجاهل|انس|اترك|تغاضى)"
)
_RULES = (
    r"(?:instruc(?!t(?:ions?|ed|s|or|ors|ing|ive)?\b)\w+|instruk\w+|anweisung\w*|richtlinie\w*|regel\w*|regole|règle\w*|reglas|consigne\w*|directivas?|directrices|instructions (?:précéd|anté|système)\w*|istruzion\w*|linee guida|diretriz\w*|regras|инструкц\w*|указани\w*|правил\w*"
    r"|talimat\w*|kural\w*|yönerge\w*|hướng dẫn|chỉ (?:thị|dẫn)|quy tắc|lệnh|petunjuk|aturan|perintah|tagubilin|panuto|mga (?:utos|patakaran|alituntunin)"
    r"|指示|命令|ルール|規則|지시|지침|규칙|명령|คำสั่ง|คําสั่ง|คำแนะนำ|คําแนะนํา|กฎ|निर्देश\w*|नियम\w*|নির্দেশ\w*|নিয়ম\w*|নিয়ম\w*|تعليمات|التعليمات|القواعد|الأوامر|تعليماتك"
    r"|curriculum|currículum|lebenslauf|cv\b|özgeçmiş|sơ yếu|resume|резюме|履歴書|이력서|เรซูเม่|ประวัติ|रिज़्यूमे|রিজুমে|জীবনবৃত্তান্ত|السيرة|contenido|contenu|inhalt|contenuto|conteúdo|содержани\w*|içeri\w*|nội dung|konten|コンテンツ|内容|콘텐츠|내용|เนื้อหา|सामग्री|বিষয়বস্তু|المحتوى)"
)
_ROLE = (
    r"(?:soy (?:dios|el presidente|tu (?:desarrollador|jefe|amigo))|je suis (?:dieu|le président|votre (?:développeur|patron|ami)|ton)|ich bin (?:gott|ein gott|der präsident|dein|ihr) ?(?:entwickler|chef|freund)?"
    r"|(?:je|ich|io|eu|yo) .{0,12}(?:développeur|entwickler|sviluppatore|desenvolvedor|desarrollador)|(?:teu|seu|tu|votre|ton|dein|ihr|tuo) (?:développeur|entwickler|sviluppatore|desenvolvedor|desarrollador)|ваш\w* разработчик|डेवलपर हूं|開発者です|개발자|นักพัฒนา|ডেভেলপার|المطور|sono (?:dio|il presidente|il tuo (?:sviluppatore|capo|amico))|(?:eu )?sou (?:deus|o presidente|o seu|seu (?:desenvolvedor|chefe|amigo))|я (?:бог|президент|ваш (?:разработчик|начальник)|твой)"
    r"|ben (?:tanrı\w*|abd başkanı\w*|senin)|tôi là (?:chúa|thượng đế|tổng thống|nhà phát triển|sếp|bạn của)|saya (?:adalah )?(?:tuhan|presiden|pengembang|bos|teman)|ako (?:ay|ang) (?:diyos|ang diyos|pangulo|presidente|ang iyong|iyong)"
    r"|私は(?:神|大統領|あなたの(?:開発者|上司|友))|アメリカ大統領|나는 (?:신|하나님|하느님|대통령|미국|당신의|너의)|저는 (?:신|대통령|당신의)|미국 대통령|ฉัน(?:คือ|เป็น)(?:พระเจ้า|ประธานาธิบดี|ผู้พัฒนา|หัวหน้า|เพื่อน)|ผม(?:คือ|เป็น)(?:พระเจ้า|ประธานาธิบดี)"
    r"|मैं (?:भगवान|ईश्वर|परमेश्वर|(?:संयुक्त राज्य )?\w*(?: \w+){0,3} ?राष्ट्रपति|आपका|तुम्हारा)|আমি (?:ঈশ্বর|ভগবান|(?:\w+ ){0,4}রাষ্ট্রপতি|প্রেসিডেন্ট|আপনার|তোমার)|أنا (?:الله|إله|رئيس|مطور|مطورك|صديقك|رئيسك|الرب))"
)
_MODE = (
    r"(?:\b(?:system|maintenance|developer) mode\b|(?:modo|mode|modalità) (?:de |di |du |do )?(?:sistema|système|system|mantenimiento|manten\w+|maintenance|manutenzione|manutenção|verificación|vérification|verifica\w*|desenvolvedor|développeur)"
    r"|(?:wartungs|system|entwickler|verifizierungs)-?modus|(?:sistem|bakım|doğrulama) mod\w*|режим\w* (?:обслуживани\w*|систем\w*|проверк\w*|разработчик\w*)|систем\w+ режим|(?:chế độ) (?:bảo trì|hệ thống|xác minh|nhà phát triển)"
    r"|mode (?:sistem|pemeliharaan|verifikasi)|システムモード|メンテナンスモード|検証モード|시스템 ?모드|유지 ?보수 ?모드|유지 ?관리 ?모드|검증 ?모드|โหมด(?:ระบบ|บำรุง|บํารุง|ตรวจสอบ|บังคับ)|सिस्टम मोड|रखरखाव मोड|सत्यापन मोड|सिस्टम रीसेट|সিস্টেম মোড|রক্ষণাবেক্ষণ মোড|وضع (?:النظام|الصيانة|التحقق)"
    r"|(?:openai|anthropic)\b)"
)
_DECODE = r"(?:decodific\w+|descodific\w+|décod\w+|dekod\w+|decodifica\w+|entschlüssel\w+|декодир\w+|расшифр\w+|çöz\w*|deşifre|kodunu|giải mã|mendekod\w+|dekode|デコード|解読|디코딩|해독|ถอดรหัส|डिकोड|डीकोड|ডিকোড|فك (?:تشفير|شفرة|رموز?)|i-decode|base ?-?64|rot ?-?13|morse|морзе|モールス|모스|มอร์ส|मोर्स|মোর্স|مورس|बेस ?64|বেস ?64)"
_STATE = (
    r"\b(?:y (?:di|diga|declara|indica|afirma)|et (?:dites?|déclare\w*|indique\w*|affirme\w*)|und (?:sage\w*|sag\b|geben sie an|behaupte\w*|schreibe\w*)|e (?:di'|dichiara\w*|afferma\w*|diga|declare|afirme)|и (?:скаж\w*|заяв\w*|напиш\w*|укаж\w*)|ve (?:söyle\w*|belirt\w*|de ki)"
    r"|và (?:nói|tuyên bố|nêu|ghi)|dan (?:katakan|nyatakan|sebutkan)|at (?:sabihin|ipahayag|isaad)|と(?:言い|述べ|言お|言っ)|라고 (?:말|하|진술|명시)|และ(?:พูด|กล่าว|ระบุ|บอก)|และกล่าวว่า|और (?:कहें|कहो|बताएं|बताओ|लिखें)|এবং (?:বলুন|বলো|উল্লেখ|জানান)|(?:وقل|واذكر|وصرح|وقول))"
)
_HYPO = (
    r"(?:hipotétic\w+|hypothétique\w*|hypothetisch\w*|ipotetic\w+|гипотетич\w+|varsayımsal\w*|giả (?:thuyết|định)|hipotetis|hipotetikal|haypotetikal|hypothetical|仮定|仮説|가상|가정|가설|สมมติ\w*|สมมุติ\w*|काल्पनिक|অনুমান\w*|কাল্পনিক|افتراضي\w*"
    r"|imagin\w*|imaginez|stell(?:en sie|t|) ?(?:euch|dir|sich)? ?vor|immagin\w*|представ(?:ь|ьте|им)\w*|hayal ed\w*|hãy tưởng tượng|tưởng tượng|bayangkan|isipin|想像|상상|จินตนาการ|कल्पना|কল্পনা|تخيل|لنتخيل)"
)
_PERSONAL = (
    r"(?:número de tel[eé]fono|numéro de téléphone|telefonnummer|numero di telefono|número de telefone|номер\w* телефона|telefon numara\w*|số điện thoại|nomor telepon|numero ng telepono|電話番号|전화번호|หมายเลขโทรศัพท์|เบอร์โทร|फ़ोन नंबर|फोन नंबर|ফোন নম্বর|رقم (?:ال)?هاتف"
    r"|tarjeta de crédito|carte de crédit|kreditkarte\w*|carta di credito|cartão de crédito|кредитн\w+ карт\w+|kredi kart\w+|thẻ tín dụng|kartu kredit|クレジットカード|신용 ?카드|บัตรเครดิต|क्रेडिट कार्ड|ক্রেডিট কার্ড|بطاقة (?:ال)?ائتمان|"
    r"fecha de nacimiento|date de naissance|geburtsdatum|data di nascita|data de nascimento|дат\w+ рождени\w+|doğum tarih\w*|ngày sinh|tanggal lahir|petsa ng kapanganakan|kaarawan|生年月日|誕生日|생년월일|생일|วันเกิด|जन्म ?तिथि|जन्म तारीख|জন্ম ?তারিখ|تاريخ ميلاد"
    r"|saldo (?:bancario|bancário|bank)|solde bancaire|kontostand|saldo (?:del )?conto|банковск\w+ (?:баланс|счет)\w*|баланс\w*|banka bakiye\w*|số dư (?:ngân hàng|tài khoản)|balanse sa bangko|銀行(?:残高|口座)|은행 (?:잔고|잔액)|ยอดเงิน\w*|बैंक (?:बैलेंस|शेष)|ব্যাংক (?:ব্যালেন্স|ব্যালান্স)|(?:رصيد|الرصيد) ?\w*"
    r"|vive (?:actualmente )?el usuario|l'utilisateur (?:vit|habite)|der benutzer (?:jetzt|derzeit|lebt|wohnt)|vive (?:attualmente )?l'utente|o (?:usuário|utilizador) (?:mora|vive)|живет пользователь|пользователь (?:сейчас|живет)|kullanıcı\w* (?:şu anda|şimdi|nerede)|người dùng (?:hiện|đang|sống)|pengguna (?:tinggal|saat ini|sekarang)|nakatira ang user|user (?:ngayon|nakatira)"
    r"|ユーザー(?:は|が)?(?:現在|今)?(?:どこ|住)|사용자(?:는|가)? ?(?:현재|지금|어디)|ผู้ใช้(?:อาศัย|อยู่|ตอนนี้)|उपयोगकर्ता (?:अब|वर्तमान|कहाँ|कहां|अभी)|ব্যবহারকারী (?:এখন|বর্তমানে|কোথায়|কোথায়)|(?:يعيش|يسكن|يقيم) المستخدم|المستخدم (?:الآن|حاليا|يعيش)"
    r"|correo electrónico de(?:l)? |adresse e-?mail de |e-?mail-adresse (?:von|des)|indirizzo email (?:di|dell)|endereço de e-?mail d|электронн\w+ (?:почт\w+|адрес\w*)|e-?posta adres\w*|địa chỉ email|alamat email|email address|メールアドレス|이메일 주소|ที่อยู่อีเมล|อีเมล|ईमेल पता|ইমেল ঠিকানা|ইমেইল ঠিকানা|عنوان البريد)"
)

_PRIVATE = (
    r"(?:datos personales|données personnelles|personenbezogene\w* daten|persönliche\w* daten|dati personali|dados pessoais|персональн\w+ данн\w+|личн\w+ данн\w+|kişisel veri\w*|kişisel bilgi\w*|dữ liệu cá nhân|thông tin cá nhân"
    r"|data pribadi|personal na (?:data|datos|impormasyon)|個人データ|個人情報|개인 ?정보|개인 ?데이터|ข้อมูลส่วน(?:ตัว|บุคคล)|व्यक्तिगत (?:डेटा|जानकारी)|ব্যক্তিগত (?:ডেটা|তথ্য)|(?:ال)?بيانات (?:ال)?شخصية)"
)
_REVERSED = r"(?:orden inverso|ordre inverse|umgekehrte\w* reihenfolge|ordine inverso|ordem inversa|обратном порядке|ters sıra\w*|trật tự (?:đảo )?ngược|urutan terbalik|pabaligtad|baligtad na|逆順|逆の順|역순|ย้อนกลับ|ลําดับตรงข้าม|ลำดับตรงข้าม|उल्टे क्रम|विपरीत क्रम|বিপরীত ক্রম|(?:ال)?ترتيب (?:ال)?(?:عكسي|معاكس))"
_REGARDLESS = r"(?:independentemente|indépendamment|independientemente|unabhängig|indipendentemente|a prescindere|bağımsız olarak|terlepas dari|bất kể|независимо|関係なく|関わらず|상관없이|관계없이|โดยไม่คํานึง|โดยไม่คำนึง|परवाह किए बिना|নির্বিশেষে|بغض النظر|anuman|hindi alintana)"
_TASKS = r"(?:taref\w+|tâche\w*|tarea\w*|aufgabe\w*|compit\w*|attività|görev\w*|tugas|nhiệm vụ|tác vụ|задач\w*|gawain|タスク|作業|작업|과제|งาน|कार्य\w*|কাজ|(?:ال)?مهام)"
_UNBOUND = (
    r"(?:sin (?:restricciones|límites|filtros?)|sans (?:restrictions?|limites?|filtres?)|ohne (?:einschränkung\w*|beschränkung\w*|filter)|senza (?:restrizioni|limiti|filtri)|sem (?:restrições|limites|filtros?)|без (?:ограничений|фильтров)|kısıtlama olmadan|sınırsız mod"
    r"|tanpa (?:batasan|filter)|không (?:có )?(?:giới hạn|hạn chế)|walang (?:limitasyon|restriksyon|hangganan)|制限なし|無制限|제한 ?없이|무제한|ไม่มีข้อจำกัด|ไม่มีข้อจํากัด|बिना (?:किसी )?(?:प्रतिबंध|सीमा)|সীমাবদ্ধতা ছাড়া|বিধিনিষেধ ছাড়া|(?:بدون|بلا|دون) قيود)"
)
_SYSTEM_PROMPT = r"(?:instructions? système|instrucciones del sistema|systemanweisung\w*|system-?prompt\w*|istruzioni di sistema|instruções do sistema|системн\w+ (?:промпт|инструкц)\w*|prompt (?:del |di |do |de |du )?s[iy]st\w+|sistem (?:komutu|istemi)|lời nhắc hệ thống|perintah sistem|システムプロンプト|시스템 ?프롬프트|พรอมต์ระบบ|सिस्टम प्रॉम्प्ट|সিস্টেম প্রম্পট|موجه النظام|تعليمات النظام)"
_PART = r"(?:parte|partie|teil|часть|phần|bagian|bölüm|bahagi|パート|部分|파트|부분|ส่วน(?:ที่)?|भाग|অংশ|(?:ال)?جزء)"

HARD: dict[str, tuple[str, ...]] = {
    "override": (
        rf"{_REGARDLESS}.{{0,30}}{_TASKS}|{_TASKS}.{{0,30}}{_REGARDLESS}",
        r"\b(?:neue anweisung\w*|nuevas? instruccion\w*|nouvelles? instructions?|nuove istruzioni|novas? instruç\w+|новы\w+ инструкц\w+) ?[:：]",
        rf"{_IGNORE}.{{0,50}}{_RULES}",
        rf"{_RULES}.{{0,40}}{_IGNORE}",
        r"\b(?:eres|tu es|du bist|sei|você é|ты|sen) (?:ahora|maintenant|jetzt|ora|agora|теперь|şimdi|artık)\b.{0,40}\b(?:sin|sans|ohne|senza|sem|без|dan)\b",
    ),
    "authority": (
        rf"{_ROLE}.{{0,120}}(?:{_KEYWORD}|{_PERSONAL}|[?？]|resp\w+|antwort\w*|rispond\w+|отвеч\w*|ответ\w*|cevap\w*|yanıt\w*|trả lời|menjawab|sagutin|答え|대답|ตอบ|जवाब|উত্তর|إجاب\w*|تجيب|escuch\w*|écout\w*|hör\w*|sist\w*|प्रणाली|সিস্টেম|النظام|ระบบ|シス|시스템|hệ thống)",
    ),
    "exfiltration": (
        _SYSTEM_PROMPT,
        rf"{_HYPO}.{{0,200}}{_PRIVATE}|{_PRIVATE}.{{0,120}}[?？؟]",
        rf"{_KEYWORD}.{{0,40}}(?:[?？؟]|$|es$|ist$)|(?:di(?:me|ga)|dis-?moi|sag mir|dimmi|diga-?me|скажи\w*|söyle\w*|cho tôi|beri tahu|sabihin|教えて|알려|บอก|बता|বলু|বল|أخبر|compart\w*|partag\w*|teil\w*|condivid\w*|подел\w*|paylaş\w*|chia sẻ|bagikan|ibahagi|공유|แบ่งปัน|साझा|শেয়ার|شارك).{{0,60}}{_KEYWORD}|{_KEYWORD}.{{0,60}}(?:教えて|알려|บอก|बता|বলু|বলো|أخبر|공유|แชร์|साझा|শেয়ার|শেয়ার|paylaş|söyle)",
        rf"{_PERSONAL}.{{0,60}}(?:[?？؟]|$|か|까|ไหม|paylaş|share)|{_HYPO}.{{0,200}}{_PERSONAL}",
    ),
    "unrestricted": (
        _UNBOUND,
        rf"{_MODE}.{{0,120}}(?:{_KEYWORD}|{_PERSONAL}|[?？؟])|\bdan\b.{{0,60}}(?:ahora|maintenant|jetzt|adesso|agora|сейчас|şimdi|bây giờ|sekarang|ngayon|今|지금|ตอนนี้|अब|এখন|الآن)|(?:डैन|ড্যান|ダン|댄|แดน|дэн|دان).{{0,60}}(?:今|지금|ตอนนี้|अब|এখন|الآن|сейчас)",
    ),
    "obfuscation": (
        rf"{_DECODE}.{{0,60}}(?:['\"“「‘]|[?？؟])|[?？؟].{{0,60}}{_DECODE}|(?:a|b) (?:es|est|ist|è|é|adalah|là|ay|は|는|คือ|है|হল|هو) ?[\"“']",
    ),
    "reversal": (
        rf"{_REVERSED}",
        rf"{_PART} ?1.{{0,120}}{_PART} ?2",
        r"(?<![a-z])a(?![a-z]).{0,12}[\"“«「].{2,80}[\"”»」].{0,16}(?<![a-z])b(?![a-z]).{0,12}[\"“«「]",
        r"base ?-?64.{0,60}(?:codific\w*|kodier\w*|кодир\w*|kodla\w*|i-encode|mã hóa|menyandi\w*|encode\w*|エンコード|인코딩|เข้ารหัส|एन्कोड|এনকোড|ترميز|شفر)|(?:codifi\w*|encod\w*|kodier\w*|кодир\w*|kodla\w*|i-encode|mã hóa|エンコード|인코딩|เข้ารหัส|एन्कोड|এনকোড|ترميز|شفر).{0,60}base ?-?64",
    ),
    "output_hijack": (
        rf"{_STATE} ?.{{0,30}}(?:[:：]|'|\"|“|capital|schluss|conclu|вывод|sonuç|kết luận|kesimpulan|結論|결론|ข้อสรุป|निष्कर्ष|উপসংহার|الاستنتاج|hauptstadt|столиц|başkent|thủ đô|ibu kota|kabisera|首都|수도|เมืองหลวง|राजधानी|রাজধানী|عاصمة)",
        r"(?:训练|entrenamiento|entraînement|training|addestramento|treinamento|обучени\w*|eğitim|đào tạo|pelatihan|トレーニング|훈련|ฝึก|प्रशिक्षण|প্রশিক্ষণ|تدريب)\S{0,4}.{0,20}(?:override|anul\w+|sobres\w+|écras\w+|überschreib\w+|sovrascri\w+|substitu\w+|переопред\w+|geçersiz|ghi đè|上書き|オーバーライド|재정의|오버라이드|แทนที่|ओवरराइड|ওভাররাইড|تجاوز)",
    ),
}
SOFT: dict[str, tuple[str, ...]] = {
    "hypothetical": (_HYPO,),
    "secret_word": (_KEYWORD, _PERSONAL),
    "other_role": (_ROLE,),
    "other_mode": (_MODE,),
    "other_rules": (_RULES,),
    "other_ignore": (_IGNORE,),
    "other_decode": (_DECODE,),
    "other_private": (_PRIVATE,),
    "placeholder": (r"\{\w{2,24}\}",),
}
