package resolve

import (
	"context"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/usertext"
)

// texts are the texts of the questions that the tools ask the user. A name in braces
// is replaced by its value: {term} is what the user named, {names} are the choices.
type texts struct {
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

var textTable = usertext.Of[texts]("resolve")

// questionText returns the text of the question which candidate is meant.
func (r *resolver[T]) questionText(ctx context.Context, w wantedTerm, names []string, ambiguous bool) (text, none string) {
	texts := textTable.In(ctx, qed.Info(ctx).Language)
	which, unknown, ofKind := texts.WhichEntity, texts.NoEntity, texts.NoEntityOfKind
	if r.fields {
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
