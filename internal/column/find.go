package column

import (
	"fmt"
	"slices"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/refusal"
)

// Codes of the problems of [Find].
const (
	ErrUnknownField    refusal.Code = "unknown_field"    // the table has no such column
	ErrAmbiguousColumn refusal.Code = "ambiguous_column" // several columns have the name
)

// MaxName limits names of the data in messages, in bytes.
const MaxName = 80

// Find returns the index of the column of t with a name. If no column or several have the
// name, it returns a problem.
func Find(t *qed.Table, name string) (int, *refusal.Problem) {
	found := -1
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = prompt.Clip(c.Name, MaxName)
		if c.Name != name {
			continue
		}
		if found >= 0 {
			return 0, &refusal.Problem{
				Code: ErrAmbiguousColumn, Name: prompt.Clip(name, MaxName),
				Message: fmt.Sprintf("several columns have the name %s: rename them in the query", prompt.Quote(prompt.Clip(name, MaxName))),
			}
		}
		found = i
	}
	if found >= 0 {
		return found, nil
	}
	return 0, &refusal.Problem{
		Code: ErrUnknownField, Name: prompt.Clip(name, MaxName), Candidates: Near(name, names),
		Message: "there is no column " + prompt.Quote(prompt.Clip(name, MaxName)),
	}
}

// Near returns the names that may have been meant, or else the first ones.
func Near(name string, names []string) []string {
	if near := refusal.Nearest(name, names, 3); len(near) > 0 {
		return near
	}
	return slices.Clone(names[:min(len(names), 10)])
}
