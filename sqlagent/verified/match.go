package verified

import (
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview"
)

// Matches reports whether a statement is that of the pair: its tree is the same, and its
// literals are too, except for those of Parameters. It returns the literals that the
// statement has for these. approved is the statement of the pair as the guard of stmt
// reads it.
//
// A parameter that the statement has several times must have one literal. How the texts
// are laid out is ignored; another name, another order of conditions or another limit is
// another statement, even if it has the same rows.
func (p Pair) Matches(approved, stmt *secureview.Statement) (parameters map[string]string, ok bool) {
	if approved == nil || stmt == nil || approved.Query() == nil || stmt.Query() == nil {
		return nil, false
	}
	names := map[string]string{} // by literal
	for name, literal := range p.Parameters {
		names[literal] = name
	}
	found := map[string]string{}
	same := func(literal, other string) bool {
		name, ok := names[literal]
		if !ok {
			return literal == other
		}
		if earlier, known := found[name]; known {
			return other == earlier
		}
		found[name] = other
		return true
	}
	return found, sqlast.EqualUpTo(approved.Query(), stmt.Query(), same)
}
