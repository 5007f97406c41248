package answering

import (
	"context"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/figures"
	"github.com/qedkit/qed/internal/usertext"
)

// Languages that write numbers as English does, among those whose texts
// [figures.LanguageOf] can read as something else.
var pointLanguages = map[string]bool{
	"en": true, "ja": true, "zh": true, "ko": true, "th": true, "he": true, "hi": true, "bn": true, "ms": true, "cy": true, "ga": true,
}

// Language returns how an answer to texts writes its values: as the Language of the
// turn does if the host set one, and else as the texts do, or the conversation.
func Language(ctx context.Context, texts ...string) figures.Language {
	info := qed.Info(ctx)
	switch base := usertext.Base(info.Turn.Language); {
	case pointLanguages[base]:
		return figures.English
	case base != "":
		return figures.German
	}
	if info.Language == usertext.German {
		return figures.German
	}
	return figures.LanguageOf(texts...)
}
