"""Word lists by which names are told from other words; only what is frequent, not complete."""

from __future__ import annotations

EN_GIVEN_NAMES = frozenset(
    """
aaron abby abigail adam adrian aisha alan albert alex alexander alexis alice alicia alison allison alyssa amanda amber amelia
amy ana andre andrea andrew andy angela angelina anita ann anna anne annie anthony antonio ariana arthur ashley audrey austin
ava barbara becky ben benjamin bernard beth betty beverly bill billy blake bob bobby bonnie brad bradley brandon brenda brian
brittany bruce bryan caleb calvin cameron carl carla carlos carmen carol caroline carolyn catherine cathy charles charlie
charlotte chelsea cheryl chloe chris christian christina christine christopher cindy claire clara connor craig crystal cynthia
daisy dan daniel danielle danny daphne dave david dean deborah debra denise dennis derek diana diane diego donald donna dorothy
doug douglas dylan ed eddie edward elaine eleanor elena eli elijah elizabeth ella ellen emily emma eric erica erik erin esther
ethan eugene eva evan evelyn fatima felix fiona frances francis frank fred gabriel gabriela gary george gerald gina gloria
gordon grace greg gregory hannah harold harry heather helen henry holly howard ian irene isaac isabel isabella ivan jack jackie
jackson jacob jake james jamie jane janet janice jason jasmine jay jean jeff jeffrey jen jenna jennifer jenny jeremy jerry
jesse jessica jill jim jimmy joan joanna joe joel john johnny jon jonathan jordan jose joseph josh joshua joyce juan juanita
judith judy julia julian julie justin karen karl kate katherine kathleen kathryn kathy katie kayla keith kelly ken kenneth
kevin kim kimberly kyle larry laura lauren lawrence leah leo leon leonard leslie liam lily linda lisa liz logan lois lori louis
louise lucas lucy luis luke luna lydia lynn madison maggie marcus margaret maria marie marilyn mario marissa marlene martha
martin mary mateo matt matthew maureen max maya megan mel melanie melissa mia michael michelle miguel mike mohammed molly
monica morgan nancy naomi natalie nate nathan nicholas nicole nina noah nora norman olga oliver olivia omar oscar pamela
patricia patrick paul paula pedro peggy peter phil philip phillip priya rachel ralph raymond rebecca richard rick ricky rita
rob robert roberto robin roger ron ronald rosa rosie roy russell ruth ryan sally sam samantha samuel sandra sara sarah scott
sean sergio seth sharon shawn sheila shirley simon sofia sophia sophie stacy stan stella stephanie stephen steve steven stuart
sue susan suzanne sylvia tara ted teresa terry theresa thomas tiffany tim timothy tina todd tom tony tracy travis tyler valerie
vanessa veronica vicky victor victoria vincent virginia vivian walter wanda warren wayne wendy wesley william xavier yolanda
yusuf zach zachary zoe
""".split()
)
EN_NOT_NAMES = frozenset(
    """
a about absolutely actually after again ah alright also although always am amazing an and another any anyway are as at aw awesome
basically be because before but by can cannot check congrats congratulations cool could dad dear definitely did do does dude each
either enjoy even every exactly excellent exciting fantastic few finally first follow for from get give go going gonna good gosh
got gotta great had haha happy has have having he hello her here hey hi his hmm hopefully how however huh i if in indeed instead
interesting is it its just keep know last lately later let like lol look looking looks lots love lovely make man many may maybe me
mom more most much my need never next nice no nope not nothing now of off oh ok okay on once one only or other our out over please
pretty really right same saw see she should since so some someone something sometimes soon sorry sounds still stay such sure take
thank thanks that the their then there these they this those though through to today together tomorrow tonight too totally true
try under until up us use very wait was way we well were what whatever when where whether which while who whose why will wish with
without woah wonderful would wow yay yeah yep yes yesterday yet you your yours yup
monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun january february march april june july august
september october november december jan feb mar apr jun jul aug sep sept oct nov dec am pm ceo faq diy tv pc ai llm api url id ui
note tip tips step steps example option overview summary conclusion introduction question answer user assistant system tool error
warning info todo morning afternoon evening night weekend
""".split()
)
EN_PLACES = frozenset(
    """
afghanistan alabama alaska amsterdam argentina arizona arkansas athens atlanta austin australia austria bali bangkok barcelona belgium
berlin boston brazil britain brooklyn brussels budapest buenos aires california cambodia cambridge canada chicago chile china colombia
colorado connecticut copenhagen croatia cuba dallas delaware denmark denver detroit dubai dublin ecuador edinburgh egypt england
ethiopia europe finland florence florida france georgia germany ghana greece guatemala hawaii helsinki houston hungary iceland
idaho illinois india indiana indonesia iowa iran iraq ireland israel istanbul italy jamaica japan jerusalem kansas kentucky kenya korea
kyoto lisbon london louisiana madrid maine malaysia manhattan maryland massachusetts melbourne memphis mexico miami michigan milan
milwaukee minneapolis minnesota mississippi missouri montana montreal morocco moscow mumbai munich nashville nebraska nepal netherlands
nevada nigeria norway ohio oklahoma oregon orlando oslo ottawa pakistan paris pennsylvania peru philadelphia philippines phoenix
pittsburgh poland portland portugal prague romania rome russia sacramento scotland seattle seoul shanghai beijing singapore shenzhen
spain stockholm sweden switzerland sydney taiwan tennessee texas thailand tokyo toronto turkey uk ukraine usa utah vancouver
venice vermont vienna vietnam wales warsaw wisconsin wyoming zurich
""".split()
) | {
    "new york", "new york city", "new jersey", "new mexico", "new zealand", "new orleans", "new hampshire", "los angeles", "san francisco",
    "san diego", "san jose", "las vegas", "hong kong", "south korea", "north korea", "south africa", "costa rica", "sri lanka", "saudi arabia",
    "united states", "united kingdom", "north carolina", "south carolina", "north dakota", "south dakota", "rhode island", "west virginia",
    "washington dc", "mexico city", "cape town", "rio de janeiro", "sao paulo", "kuala lumpur", "tel aviv", "puerto rico", "salt lake city",
}  # fmt: skip
EN_ORGANISATION_ENDS = frozenset(
    "inc corp corporation ltd llc gmbh company co university college school institute academy hospital clinic bank museum church "
    "airlines airways studios foundation association agency club team orchestra library department ministry committee group labs "
    "technologies systems solutions services motors pharmaceuticals records press society council".split()
)
EN_PLACE_ENDS = frozenset(
    "street st road rd avenue ave boulevard blvd lane drive square park lake river mountain mountains beach island islands city "
    "county airport station bridge valley bay garden gardens hill hills falls canyon forest coast desert peninsula trail theater "
    "theatre stadium arena plaza mall market cafe restaurant hotel inn".split()
)
EN_TITLES = frozenset("mr mrs ms miss dr prof professor sir madam aunt uncle grandma grandpa coach captain president".split())

ZH_SURNAMES = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘蒋蔡余杜叶程苏魏吕丁沈任姚卢姜崔钟谭陆汪范金石廖贾夏"
    "韦方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱覃武戴莫孔汤温康施牛樊葛邢齐乔伍庞颜倪庄聂章鲁岳翟殷詹申欧耿焦俞柳甘祝尚舒阮柯纪"
    "梅童凌毕裴霍涂苗谷翁冉骆蓝辛靳柴蒙鲍喻祁蒲屈饶牟尤穆卓吉缪褚娄窦戚岑卜晏柏瞿佟臧闵苟邬卞姬仇栾隋刁荣巫寇桑甄虞敖巩佘"
)
ZH_COMMON_SURNAMES = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林罗郑梁谢宋唐许韩冯邓曹彭曾肖董袁潘蒋蔡杜苏魏吕丁沈任姚卢姜崔钟谭陆汪范廖贾邹秦邱薛段雷侯陶贺顾龚钱戴"
ZH_DOUBLE_SURNAMES = frozenset("欧阳 司马 上官 诸葛 东方 皇甫 尉迟 公孙 慕容 令狐 司徒 夏侯 长孙 宇文 端木 南宫 独孤".split())
ZH_GIVEN = frozenset(
    "伟芳娜秀英敏静丽强磊军洋勇艳杰娟涛明超霞平刚桂华文辉玲红梅兰建国志海燕鹏飞波斌宇浩然轩涵欣怡佳琪雪雯婷婉琳琴瑶璐倩莉颖晶洁"
    "晨阳旭东升林森木鑫淼焱垚家豪俊凯峰岩山川江河湖波云雨露霜冰春夏秋冬梦思语诗画墨香兰竹菊荷莲萍莎蕾蓉蓓薇茜茹芬芝芸苗若茗菲萱葵"
    "德义仁礼智信忠孝廉诚正良善贤惠淑贞洪福禄寿康宁安泰祥瑞吉庆荣昌盛兴隆富贵金银铜玉珍珠宝琼瑾瑜璇琦珂珊珑玮琛璟瑞天地乾坤日月星辰"
    "光亮耀辉煌炜炎烨焕灿炳彤彩虹霓宏伟大少小子女男儿孙祖宗先继承绍绪业勤俭学书文章才英雄豪杰勇猛刚毅坚强永恒远长久新晓晴晖暄昕昊晟"
    "景智慧聪颖敏捷灵秀美妍娇媛嫣妮娅妙姝姗娴婧婵嫦润泽清澈洁净滢漫潇湘沛沁汐洛淇淳渊源溪澜瀚滔浪涌跃腾翔翼鸿雁鹤凤龙虎麟骏驰骋骥"
    "凡一二三四五六七八九十千万百心意情怀恩爱念忆恒悦愉怡恬恺慎振兴邦民众威武斗尚礼亦奕弈之乐歌舞音韵律笛鸣友朋伯仲叔季元亨利贞启迪"
    "维纲经纬纶纯素绮绣缘可嘉喜悠优逸卓越冠博广庭廷成功克毓育培植树柏松桐楠梓榕枫桦杨柳桃梨杏枝叶花卉草禾苗穗田园子墨羽翰林彬权浚仪"
    "发财根土石岚岳峻嵘嵩屹崇巍巧雅倚伊依侠俪健修傲先全兵兰其冉再军凝化北南西东协占卫厚双君周哲唯喆国圆士奇奎妤妹姣宸宜宝宣宾富寒尧尹"
    "岭峥川州帆帅常平年庆应开弘彦征御徐心必志忠怀恺慕成扬振捷政敬斌旋昂易昱晗晋晓晔曦朗未本权杉李来柔桥梁楚榆水汉汝沐泉泓洲济渝灏炫"
    "焰燃玺珏珺理琰瑄璋甜画皓盈真睿硕磐祎禹科程立竣笑筠箫红纪绍绿维罡群翠耘聆育舒航良艺艾芃芊芮苒苏苓英茂荔莹莺菁萌蒙蓝蔚蕊虹行裕西言"
    "誉诺谦豫贝贤赫超路轶辰迎运通道郁重野钊钧钰铁铄铭锋锐锦镇长闯雄霄霏靖韬韵顺颂飒香馨骁高魁鲁麒黎默齐多东"
)
ZH_NOT_NAMES = frozenset(
    """
毕业 毕竟 高德 高盛 高光 卓越 施工 高兴 高级 丁香 康理 康日 金翠 石桥 祝福 吉祥 江水 江大 江二 程优 程顺 程通 纪大 戴多 何东 谢大 毛利 高度 高铁 高速 高中 高端 高山 高大 高新 高明 高强 方便 方案 方式 方法 方向 方面 方言 方正 黄色 黄金 黄河 黄山 金额 金融 金牌 金色 金属 白天 白色 白云
安排 安全 安静 安心 安康 安宁 安装 何时 何种 何必 马上 马路 马德 时间 时候 时光 时代 时常 周末 周一 周二 周三 周四 周五 周六 周日 周天 周期 周边 周年 周围 王国
水果 江西 江苏 江南 江山 江湖 万一 万元 万里 余额 成功 成立 成长 成本 成都 成年 单位 单独 单元 和平 全国 全新 全部 全家 全年 全面 关于 关心 关爱 关系 华为 华东 华南
华夏 华文 路上 路线 路程 路过 路由 曾经 钱包 石头 石油 石家 林业 田园 田野 程序 程度 许多 许可 张扬 孙子 任务 任何 任意 毛病 毛利 顾客 顾问 龙头 雷雨 黎明 易于
武汉 武器 武术 文件 文化 文章 文明 文字 文学 文艺 文科 牛奶 温度 温暖 温馨 夏天 夏季 夏日 夏令 陆续 陆地 陆家 叶子 董事 韩国 唐代 宋代 郑重 郑州 苏州 苏宁 付款
付费 熊猫 秦岭 尹 史上 贺卡 严重 严格 莫名 孔子 向上 向来 汤圆 康复 康定 康养 施工 文博 章程 申请 申报 申通 欧元 欧洲 关注 左右 柳州 包括 包含 包装 宁波 宁夏 尚未 纪念
纪录 纪律 梅花 童年 季度 季节 成员 成果 盛大 曲线 游戏 游玩 游客 管理 蓝色 蓝天 房间 房子 房东 解决 解释 尤其 阳光 阳台 农业 农村 司机 司法 古城 古镇 古代 吉利 简单
简历 项目 连续 连接 麦当 景区 景点 景色 党员 宫廷 费用 冷静 席位 卫生 米饭 宗旨 全程 应该 应对 应用 边上 师傅 师父 和谐 商场 商业 商务 商品 荣誉 明天 明年 明确 明白
明显 明日 池塘 查询 查看 麻烦 迟到 向日 东方 上官 东方红 长远 周全 安东 平安 康宁 成文 成全 永远 万全 万众 易学 方正 明亮 任性 石化 金山 金龙 海南 江北 江东 云南 高原 高峰
林荫 水平 常年 常常 国家 国庆 马来 马来西 马拉松 高尔夫 余下 应急 全力 单身 安慰 安顿 包容 包子 曲目 左手 左边 古典 连忙 明星 明细 管道 游泳 查理 阳性 时尚 时长 时段
金管家 金秋 金华 白领 白酒 白板 任职 石榴 温州 温泉 万达 万象 万科 万绿 方案书 方块 路口 路况 路径 陆家嘴 江景 孟加拉 罗马 罗列 毛衣 毛巾 汤姆 熊市 牛市 牛肉 夏装 夏威夷 章节 雷达
""".split()
)
ZH_TITLES = (
    "先生|女士|小姐|太太|老师|医生|大夫|护士|教授|博士|经理|总监|总经理|主任|主管|主席|局长|处长|科长|院长|校长|班长|队长|厂长|店长|站长|所长|"
    "书记|秘书|律师|会计|工程师|师傅|教练|老板|顾问|同学|阿姨|叔叔|伯伯|大爷|大妈|奶奶|爷爷|大哥|大姐|姐姐|哥哥|总|工|哥|姐|叔|姨|伯|婶"
)
ZH_PLACES = (
    "北京|上海|天津|重庆|广州|深圳|杭州|南京|武汉|成都|西安|苏州|长沙|郑州|青岛|大连|厦门|宁波|无锡|佛山|东莞|合肥|济南|福州|昆明|哈尔滨|沈阳|长春|石家庄|太原|南昌|南宁|"
    "贵阳|兰州|海口|三亚|乌鲁木齐|呼和浩特|银川|西宁|拉萨|温州|珠海|中山|惠州|常州|徐州|烟台|洛阳|桂林|丽江|大理|香港|澳门|台北|台湾|"
    "河北|山西|辽宁|吉林|黑龙江|江苏|浙江|安徽|福建|江西|山东|河南|湖北|湖南|广东|海南|四川|贵州|云南|陕西|甘肃|青海|内蒙古|广西|西藏|宁夏|新疆|"
    "中国|美国|英国|法国|德国|日本|韩国|俄罗斯|加拿大|澳大利亚|新加坡|泰国|意大利|西班牙|印度|巴西|东京|大阪|首尔|纽约|伦敦|巴黎|柏林|悉尼|旧金山|洛杉矶|硅谷"
)
