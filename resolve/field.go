package resolve

import (
	"strings"

	"github.com/qedkit/qed/internal/textmatch"
)

// A Field is a column, or a path of a mapping or schema, of a data source.
type Field struct {
	Source      string   `json:"source,omitempty"` // such as an index or a table
	Name        string   `json:"name"`             // as queries use it: "arrival_date", "vessel.name"
	Type        string   `json:"type,omitempty"`   // as the source names it: "date", "keyword", "varchar(40)"
	Description string   `json:"description,omitempty"`
	Aliases     []string `json:"aliases,omitempty"` // business terms for the field
}

// item returns what the index compares of a field: its path, the ends of its
// path, and its aliases.
func (f *Field) item() item {
	path := clipName(f.Name)
	names := []itemName{{text: path}}
	for loss := lossParent; ; loss += lossParent {
		_, rest, ok := strings.Cut(path, ".")
		if !ok {
			break
		}
		if path = rest; textmatch.Fold(textmatch.Spaced(path)) != "" && loss < 4*lossParent {
			names = append(names, itemName{text: path, loss: loss})
		}
	}
	for _, a := range f.Aliases {
		names = append(names, itemName{text: clipName(a), alias: true})
	}
	return item{kind: f.Source, names: names, implied: f.implied()}
}

// lossParent is subtracted from the score for each part of a path that the term
// leaves out.
const lossParent = 0.02

// implied returns the words that a term may have because of the field's type:
// "arrival time" can be a field arrival of the type date.
func (f *Field) implied() []string {
	for w := range strings.FieldsSeq(textmatch.Fold(f.Type)) {
		if implied, ok := typeImplies[strings.TrimRight(w, "0123456789")]; ok {
			return strings.Fields(implied)
		}
	}
	return nil
}

// typeImplies maps a word of a type to the words that it implies.
var typeImplies = func() map[string]string {
	implies := map[string]string{}
	for _, group := range []struct{ types, words string }{
		{"date datetime time timestamp timestamptz", "date time day when"},
		{"int integer long short float double decimal numeric number bigint smallint tinyint mediumint uint real money",
			"number amount value count total"},
		{"bool boolean bit", "flag whether"},
		{"geo point geometry geography", "location position place"},
	} {
		for t := range strings.FieldsSeq(group.types) {
			implies[t] = group.words
		}
	}
	return implies
}()
