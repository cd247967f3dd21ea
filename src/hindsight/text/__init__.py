"""Pure text functions, Chinese and English alike: folding, language, tokens, times, entities, synonyms, lengths."""
