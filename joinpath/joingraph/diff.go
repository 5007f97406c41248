package joingraph

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/joinpath"
)

// A Change is one difference between two schemas.
type Change struct {
	// Kind is what changed.
	Kind ChangeKind `json:"kind"`

	// Table is the table that changed, or the one that a changed relationship
	// starts from. To is the other table of a changed relationship.
	Table string `json:"table"`
	To    string `json:"to,omitempty"`

	// Name is the column, the key, or the relationship that changed. It is empty
	// for a table.
	Name string `json:"name,omitempty"`

	// Old and New are the values before and after. Old is empty for what was
	// added, New for what was removed.
	Old string `json:"old,omitempty"`
	New string `json:"new,omitempty"`
}

// ChangeKind is what a [Change] is about.
type ChangeKind string

// The kinds of changes.
const (
	TableAdded          ChangeKind = "table added"
	TableRemoved        ChangeKind = "table removed"
	ColumnAdded         ChangeKind = "column added"
	ColumnRemoved       ChangeKind = "column removed"
	TypeChanged         ChangeKind = "type changed"
	KeysChanged         ChangeKind = "keys changed"
	RelationshipAdded   ChangeKind = "relationship added"
	RelationshipRemoved ChangeKind = "relationship removed"
	RelationshipChanged ChangeKind = "relationship changed"
)

// String returns the change on one line.
func (c Change) String() string {
	s := string(c.Kind) + ": "
	switch {
	case c.To != "":
		s += c.Name
	case c.Name != "":
		s += c.Table + "." + c.Name
	default:
		s += c.Table
	}
	switch {
	case c.Old != "" && c.New != "":
		s += " from " + c.Old + " to " + c.New
	case c.Old != "":
		s += " (" + c.Old + ")"
	case c.New != "":
		s += " (" + c.New + ")"
	}
	return s
}

// Diff lists what changed between two schemas: tables first, in alphabetical
// order, then relationships. It ignores comments and estimates of rows. A nil schema
// is an empty one.
func Diff(old, new *joinpath.Schema) []Change {
	old = cmp.Or(old, &joinpath.Schema{})
	new = cmp.Or(new, &joinpath.Schema{})
	var changes []Change
	for _, name := range lists.Add(slices.Sorted(maps.Keys(old.Tables)), slices.Sorted(maps.Keys(new.Tables))...) {
		before, existed := old.Tables[name]
		after, exists := new.Tables[name]
		switch {
		case !existed:
			changes = append(changes, Change{Kind: TableAdded, Table: name, New: fmt.Sprintf("%d columns", len(after.Columns))})
		case !exists:
			changes = append(changes, Change{Kind: TableRemoved, Table: name, Old: fmt.Sprintf("%d columns", len(before.Columns))})
		default:
			changes = append(changes, diffTable(name, before, after)...)
		}
	}
	slices.SortStableFunc(changes, func(a, b Change) int { return strings.Compare(a.Table, b.Table) })
	return append(changes, diffRelationships(old, new)...)
}

func diffTable(name string, old, new joinpath.Table) []Change {
	var changes []Change
	for _, column := range lists.Add(old.Columns, new.Columns...) {
		c := Change{Table: name, Name: column, Old: old.Types[column], New: new.Types[column]}
		switch existed, exists := slices.Contains(old.Columns, column), slices.Contains(new.Columns, column); {
		case !existed:
			c.Kind = ColumnAdded
		case !exists:
			c.Kind = ColumnRemoved
		case c.Old != c.New:
			c.Kind = TypeChanged
		default:
			continue
		}
		changes = append(changes, c)
	}
	if before, after := keys(old), keys(new); before != after {
		changes = append(changes, Change{Kind: KeysChanged, Table: name, Old: before, New: after})
	}
	return changes
}

// keys returns the keys of a table as text.
func keys(t joinpath.Table) string {
	var all []string
	for _, key := range slices.Concat([][]string{t.PrimaryKey}, t.UniqueKeys) {
		if len(key) > 0 {
			sorted := slices.Sorted(slices.Values(key))
			all = append(all, "("+strings.Join(sorted, ", ")+")")
		}
	}
	all = append(all, lists.Map(t.UniqueColumns, func(column string) string { return "(" + column + ")" })...)
	slices.Sort(all)
	return strings.Join(slices.Compact(all), " ")
}

func diffRelationships(old, new *joinpath.Schema) []Change {
	before, after := byKey(old), byKey(new)
	var changes []Change
	for key, was := range before {
		is, ok := after[key]
		c := Change{Table: was.FromTable, To: was.ToTable, Name: was.String(), Old: state(was)}
		if !ok {
			c.Kind = RelationshipRemoved
		} else if c.New = state(facing(is, was)); c.New != c.Old {
			c.Kind = RelationshipChanged
		} else {
			continue
		}
		changes = append(changes, c)
	}
	for key, is := range after {
		if _, ok := before[key]; !ok {
			changes = append(changes, Change{Kind: RelationshipAdded, Table: is.FromTable, To: is.ToTable, Name: is.String(), New: state(is)})
		}
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Name, b.Name) })
	return changes
}

func byKey(s *joinpath.Schema) map[string]joinpath.Relationship {
	out := make(map[string]joinpath.Relationship, len(s.Relationships))
	for _, r := range s.Relationships {
		if known, ok := out[r.Key()]; ok {
			r = merged(known, r)
		}
		out[r.Key()] = r
	}
	return out
}

// state returns what counts about a relationship, as text.
func state(r joinpath.Relationship) string {
	s := fmt.Sprintf("%s, confidence %.2f", r.Type, r.Confidence)
	if r.Cardinality != "" {
		s += ", " + string(r.Cardinality)
	}
	if r.Role != "" {
		s += fmt.Sprintf(", role %q", r.Role)
	}
	return strings.TrimPrefix(s, ", ")
}
