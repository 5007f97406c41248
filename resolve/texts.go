package resolve

import (
	"context"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/usertext"
)

// Texts are the texts of the questions that the tools ask the user. Empty fields
// mean the defaults. A name in braces is replaced by its value: {term} is what the
// user named, {names} are the choices.
type Texts struct {
	WhichEntity    string // several have the name
	NoEntity       string // none has it
	NoEntityOfKind string // none of the {kind} has it
	WhichField     string // the same for fields
	NoField        string
	NoFieldOf      string // none of {kind}, the source
	Similar        string // follows if there are similar names
	NoneOfThese    string // the choice that none is meant
	Or             string // before the last of {names}
}

var shippedTexts = map[string]Texts{
	usertext.English: {
		WhichEntity:    "Which {term}: {names}?",
		NoEntity:       "Nothing is called {term}.",
		NoEntityOfKind: "Nothing of the kind {kind} is called {term}.",
		WhichField:     "Which field is {term}: {names}?",
		NoField:        "No field is called {term}.",
		NoFieldOf:      "No field of {kind} is called {term}.",
		Similar:        "Which one is meant: {names}, or none of these?",
		NoneOfThese:    "None of these",
		Or:             "or",
	},
	usertext.German: {
		WhichEntity:    "Was ist mit {term} gemeint: {names}?",
		NoEntity:       "Nichts heißt {term}.",
		NoEntityOfKind: "Nichts von der Art {kind} heißt {term}.",
		WhichField:     "Welches Feld ist {term}: {names}?",
		NoField:        "Kein Feld heißt {term}.",
		NoFieldOf:      "Kein Feld von {kind} heißt {term}.",
		Similar:        "Was ist gemeint: {names} oder nichts davon?",
		NoneOfThese:    "Nichts davon",
		Or:             "oder",
	},
}

// questionText returns the text of the question which candidate is meant.
func (r *resolver[T]) questionText(ctx context.Context, w wantedTerm, names []string, ambiguous bool) (text, none string) {
	texts := r.text.In(qed.Info(ctx).Language)
	which, unknown, ofKind := texts.WhichEntity, texts.NoEntity, texts.NoEntityOfKind
	if r.texts.fields {
		which, unknown, ofKind = texts.WhichField, texts.NoField, texts.NoFieldOf
	}
	term, all := oneLine(w.text), strings.Join(names, ", ")
	switch n := len(names); {
	case ambiguous && n > 1:
		all = strings.Join(names[:n-1], ", ") + " " + texts.Or + " " + names[n-1]
		return usertext.Fill(which, "term", term, "names", all), texts.NoneOfThese
	case ambiguous:
		return usertext.Fill(which, "term", term, "names", all), texts.NoneOfThese
	case w.kind != "":
		text = usertext.Fill(ofKind, "kind", oneLine(w.kind), "term", term)
	default:
		text = usertext.Fill(unknown, "term", term)
	}
	return text + " " + usertext.Fill(texts.Similar, "names", all), texts.NoneOfThese
}
