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

// Diff lists what changed between two schemas, a line for each change: tables first, in
// alphabetical order, then relationships. It ignores comments and estimates of rows. A nil
// schema is an empty one.
func Diff(old, new *joinpath.Schema) []string {
	old = cmp.Or(old, &joinpath.Schema{})
	new = cmp.Or(new, &joinpath.Schema{})
	var changes []string
	names := slices.Sorted(maps.Keys(old.Tables))
	names = lists.Add(names, slices.Collect(maps.Keys(new.Tables))...)
	slices.Sort(names)
	for _, name := range names {
		before, existed := old.Tables[name]
		after, exists := new.Tables[name]
		switch {
		case !existed:
			changes = append(changes, fmt.Sprintf("table added: %s (%d columns)", name, len(after.Columns)))
		case !exists:
			changes = append(changes, fmt.Sprintf("table removed: %s (%d columns)", name, len(before.Columns)))
		default:
			changes = append(changes, diffTable(name, before, after)...)
		}
	}
	return append(changes, diffRelationships(old, new)...)
}

func diffTable(name string, old, new joinpath.Table) []string {
	var changes []string
	for _, column := range lists.Add(old.Columns, new.Columns...) {
		before, after := old.Types[column], new.Types[column]
		kind := "type changed"
		switch existed, exists := slices.Contains(old.Columns, column), slices.Contains(new.Columns, column); {
		case !existed:
			kind = "column added"
		case !exists:
			kind = "column removed"
		case before == after:
			continue
		}
		changes = append(changes, kind+": "+name+"."+column+fromTo(before, after))
	}
	if before, after := keys(old), keys(new); before != after {
		changes = append(changes, "keys changed: "+name+fromTo(before, after))
	}
	return changes
}

// fromTo returns the values before and after, of which one can be empty.
func fromTo(old, new string) string {
	switch {
	case old != "" && new != "":
		return " from " + old + " to " + new
	case old+new != "":
		return " (" + old + new + ")"
	}
	return ""
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

func diffRelationships(old, new *joinpath.Schema) []string {
	before, after := byKey(old), byKey(new)
	changes := map[string]string{} // by relationship
	for key, was := range before {
		is, ok := after[key]
		if !ok {
			changes[was.String()] = "relationship removed: " + was.String() + fromTo(state(was), "")
		} else if now := state(facing(is, was)); now != state(was) {
			changes[was.String()] = "relationship changed: " + was.String() + fromTo(state(was), now)
		}
	}
	for key, is := range after {
		if _, ok := before[key]; !ok {
			changes[is.String()] = "relationship added: " + is.String() + fromTo("", state(is))
		}
	}
	return lists.Map(slices.Sorted(maps.Keys(changes)), func(name string) string { return changes[name] })
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
