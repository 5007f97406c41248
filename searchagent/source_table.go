package searchagent

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// documentColumns returns the fields of documents that a table shows: in the order in
// which a body asks for them, or else those first that tell most.
func documentColumns(docs []document, body json.RawMessage, most int) []string {
	sources := make([]any, len(docs))
	for i, d := range docs {
		sources[i] = decoded(d.Source)
	}
	fields := telling(sources, maxOption)
	if asked := askedFor(body); len(asked) > 0 {
		slices.SortStableFunc(fields, func(a, b string) int { return asker(asked, a) - asker(asked, b) })
	}
	if len(fields) == 0 {
		return []string{"_id"}
	}
	return fields[:min(len(fields), most)]
}

// asker is the place of the first of the names that field is of.
func asker(asked []string, field string) int {
	i := slices.IndexFunc(asked, func(name string) bool {
		matches, _ := path.Match(name, field)
		return matches || strings.HasPrefix(field, name+".")
	})
	if i < 0 {
		return len(asked)
	}
	return i
}

// askedFor returns the names and patterns of fields that a body wants returned.
func askedFor(body json.RawMessage) []string {
	members, _ := decoded(body).(map[string]any)
	var names []string
	for _, key := range []string{"_source", "fields", "docvalue_fields"} {
		asks := members[key]
		if object, ok := asks.(map[string]any); ok {
			if asks = object["includes"]; asks == nil {
				asks = object["include"]
			}
		}
		for _, item := range items(asks) {
			if object, ok := item.(map[string]any); ok {
				item = object["field"]
			}
			if name, ok := item.(string); ok {
				names = append(names, name)
			}
		}
	}
	return names
}

// items is a value that may stand alone in the place of an array.
func items(v any) []any {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		return v
	}
	return []any{v}
}
