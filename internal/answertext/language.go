package answertext

import (
	"context"
	"regexp"

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
	tag := Tag(ctx)
	if tag == "" && qed.Info(ctx).Language == usertext.German {
		return figures.German
	}
	return Numbers(tag, texts...)
}

// Numbers returns how values are written in the language with a tag, or in that of
// the texts if the tag is empty.
func Numbers(tag string, texts ...string) figures.Language {
	switch base := usertext.Base(tag); {
	case pointLanguages[base]:
		return figures.English
	case base != "":
		return figures.German
	}
	return figures.LanguageOf(texts...)
}

// Tag returns the language that the host set for the texts of the turn, such as
// "de-AT". It is empty if the host set none, or something that is no language tag.
func Tag(ctx context.Context) string {
	return Checked(qed.Info(ctx).Turn.Language)
}

// Checked returns a language tag, or "" for something that is none.
func Checked(tag string) string {
	if !languageTag.MatchString(tag) {
		return ""
	}
	return tag
}

// languageTag is looser than RFC 5646, which is enough to keep other texts out of a
// prompt.
var languageTag = regexp.MustCompile(`^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8}){0,4}$`)
