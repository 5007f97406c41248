package resolve

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/textmatch"
)

// An Entity is a record of the host's data that users refer to by its name, such
// as a port or a customer.
type Entity struct {
	Kind    string   `json:"kind,omitempty"` // such as "port"
	Name    string   `json:"name"`
	ID      string   `json:"id,omitempty"` // in the data; list it in Aliases too if users write it
	Aliases []string `json:"aliases,omitempty"`

	// Attributes distinguish entities of the same name, such as country: US.
	Attributes map[string]string `json:"attributes,omitempty"`
}

func (e Entity) clone() Entity {
	e.Aliases, e.Attributes = slices.Clone(e.Aliases), maps.Clone(e.Attributes)
	return e
}

// A Finder looks up entities for a [Catalog] that does not have all of them in
// memory. It must be safe for concurrent use.
//
// Find returns entities that a term could mean, the best first. Only the first 50
// are used, and those whose name has no letter and no digit are ignored. Find
// need not be exact: the catalog compares the names with the term, and names that
// are not similar become suggestions. kind is as the caller wrote it; it may be
// empty or unknown. The context is that of the turn: a Finder leaves out what its
// user may not see.
type Finder interface {
	Find(ctx context.Context, term, kind string) ([]Entity, error)
}

const maxFound = 50

// An identity is what makes two entities the same: their kind, and their ID or,
// without one, their name.
type identity struct{ kind, id, name string }

func identityOf(kind, id, name string) identity {
	if id != "" {
		return identity{kind: kindKey(kind), id: id}
	}
	return identity{kind: kindKey(kind), name: name}
}

// kindKey returns a kind in the form in which kinds are compared.
func kindKey(kind string) string {
	list := strings.Fields(textmatch.Fold(textmatch.Spaced(clipName(kind))))
	for i, w := range list {
		list[i] = plural(w)
	}
	return strings.Join(list, " ")
}

// clipName returns the part of a name that is compared.
func clipName(s string) string {
	if len(s) <= maxNameBytes {
		return s
	}
	return strings.ToValidUTF8(s[:maxNameBytes], "")
}
