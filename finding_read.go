package qed

import (
	"encoding/json"
	"slices"
)

// ParseFinding returns the members of a tool's result that are those of a
// [Finding]. A member of another form belongs to the tool alone and is left out.
func ParseFinding(output json.RawMessage) (f Finding) {
	var members map[string]json.RawMessage
	if json.Unmarshal(output, &members) != nil {
		return f
	}
	readMember(members["text"], &f.Text)
	readMember(members["rows"], &f.Rows)
	if f.Rows != nil && f.Rows.Handle == "" && f.Rows.Sample.Columns == nil {
		f.Rows = nil
	}
	readMember(members["query_metadata"], &f.Metadata)
	if f.Metadata != nil && (f.Metadata.QueryType == "" || f.Metadata.Query == nil) {
		f.Metadata = nil
	}
	readMembers(members["queries"], &f.Queries, func(q Query) bool { return q.Language != "" })
	readMembers(members["artifacts"], &f.Artifacts, func(k ArtifactRef) bool { return k.Name != "" || k.MediaType != "" })
	readMembers(members["citations"], &f.Citations, func(s Citation) bool { return s != Citation{} })
	readMembers(members["entities"], &f.Entities, func(e Entity) bool { return e.Name != "" || e.ID != "" })
	readMember(members["partial"], &f.Partial)
	return f
}

func readMember[T any](raw json.RawMessage, into *T) {
	var v T
	if raw != nil && json.Unmarshal(raw, &v) == nil {
		*into = v
	}
}

// readMembers reads a list, if all in it is what it should be.
func readMembers[T any](raw json.RawMessage, into *[]T, is func(T) bool) {
	var list []T
	readMember(raw, &list)
	if !slices.ContainsFunc(list, func(v T) bool { return !is(v) }) {
		*into = list
	}
}
