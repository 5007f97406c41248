package esquery

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/lists"
)

// ErrMapping is matched by the errors of [ParseMapping] for text that is not a mapping
// of Elasticsearch or OpenSearch.
var ErrMapping = errors.New("esquery: not a mapping of Elasticsearch or OpenSearch")

func mappingError(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrMapping, fmt.Sprintf(format, args...))
}

// These limits are far above those of the engines, such as 1,000 fields in an
// index.
const (
	maxMappingBytes  = 64 << 20
	maxMappingFields = 200_000
)

// A Mapping describes the fields of one index, or of several that are searched
// together. It is safe for concurrent use and never changes. Make one with
// [ParseMapping].
type Mapping struct {
	indices []string            // sorted names
	fields  map[string]*Field   // by path
	known   []string            // sorted paths of all fields without metadata
	folded  map[string][]string // paths by their folded form
	partial map[string]string   // objects with fields that the mapping does not list, and the reason
}

// Field returns the field of that exact name. It can be a multi-field, an alias,
// a runtime field, a metadata field such as _id, or a key of a flattened field.
func (m *Mapping) Field(path string) (Field, bool) {
	f := m.lookup(path)
	if f == nil {
		return Field{}, false
	}
	return *f, true
}

// Fields returns all fields and objects without metadata, sorted by path.
func (m *Mapping) Fields() []Field {
	all := make([]Field, len(m.known))
	for i, path := range m.known {
		all[i] = *m.fields[path]
	}
	return all
}

// Indices returns the sorted names of the indices. It is empty if the mapping
// did not name an index.
func (m *Mapping) Indices() []string { return slices.Clone(m.indices) }

// lookup returns the field of that exact name, or nil.
func (m *Mapping) lookup(path string) *Field {
	if f := m.fields[path]; f != nil {
		return f
	}
	root := m.flattened(path)
	if root == nil {
		return nil
	}
	key := *root
	key.Path, key.family, key.flattened = path, keyedFamily, false
	return &key
}

// flattened returns the flattened field of which path would be a key, or nil.
func (m *Mapping) flattened(path string) *Field {
	for i := len(path) - 2; i > 0; i-- {
		if path[i] != '.' {
			continue
		}
		if f := m.fields[path[:i]]; f != nil {
			if f.family == flattenedFamily && f.Types == nil {
				return f
			}
			return nil
		}
	}
	return nil
}

// why returns why a document may have a field that the mapping does not list;
// empty: no reason is known.
func (m *Mapping) why(path string) string {
	for {
		if reason := m.partial[path]; reason != "" {
			return reason
		}
		if path == "" {
			return ""
		}
		path = path[:max(0, strings.LastIndexByte(path, '.'))]
	}
}

// ParseMapping reads the response of GET /index/_mapping, or a mapping alone:
// {"mappings":{...}} or {"properties":{...}}. Several indices become one
// Mapping, which records where they disagree. The error matches [ErrMapping].
func ParseMapping(response []byte) (*Mapping, error) {
	root, err := readMapping(response)
	if err != nil {
		return nil, err
	}
	if root.kind != object || len(root.members) == 0 {
		return nil, mappingError("it has no index and no properties")
	}
	var names []string
	var read []*mappingReader
	if !ofIndices(&root) {
		body := &root
		if inner := root.get("mappings"); inner != nil {
			body = inner
		} else if !slices.ContainsFunc(root.members, func(m member) bool { return slices.Contains(ofMapping, m.key) }) {
			return nil, mappingError("it has no mappings and no properties")
		}
		r, err := readIndex(body)
		if err != nil {
			return nil, err
		}
		return merge(nil, []*mappingReader{r})
	}
	for i := range root.members {
		index := &root.members[i]
		r, err := readIndex(index.value.get("mappings"))
		if err != nil {
			return nil, fmt.Errorf("index %s: %w", quoted(index.key), err)
		}
		names = append(names, index.key)
		read = append(read, r)
	}
	return merge(names, read)
}

// ofMapping are keys of which a mapping has at least one.
var ofMapping = []string{"properties", "dynamic", "runtime", "enabled", "_source", "_meta"}

// readMapping parses a response. Duplicate keys are an error, because readers
// treat them differently.
func readMapping(response []byte) (value, error) {
	if len(response) > maxMappingBytes {
		return value{}, mappingError("it has more than %d bytes", maxMappingBytes)
	}
	twice := ""
	root, err := readJSON(string(response), maxJSONDepth, func(_ []step, key string) { twice = key })
	if err != nil {
		return value{}, fmt.Errorf("%w: %w", ErrMapping, err)
	}
	if twice != "" {
		return value{}, mappingError("the key %s occurs twice", quoted(twice))
	}
	return root, nil
}

// ofIndices reports whether root is a response, with an index above each
// mapping, and not a mapping alone.
func ofIndices(root *value) bool {
	for i := range root.members {
		mappings := root.members[i].value.get("mappings")
		if mappings == nil || mappings.kind != object {
			return false
		}
	}
	// A mapping alone can have a field named "mappings".
	return len(root.members) != 1 || root.members[0].key != "properties"
}

// merge returns one mapping of several indices. names are their names, in the
// same order.
func merge(names []string, read []*mappingReader) (*Mapping, error) {
	m := &Mapping{fields: newMetaFields(), partial: map[string]string{}}
	m.indices = slices.Sorted(slices.Values(names))
	if len(read) == 1 {
		maps.Copy(m.fields, read[0].fields)
		m.partial = read[0].partial
	} else {
		all := map[string][]*Field{}
		for _, r := range read {
			for path, f := range r.fields {
				all[path] = append(all[path], f)
			}
			maps.Copy(m.partial, r.partial)
		}
		for path, each := range all {
			f := agree(each)
			f.split = split(path, each, names, read)
			m.fields[path] = f
		}
	}
	if len(m.fields) > maxMappingFields {
		return nil, mappingError("it has more than %d fields", maxMappingFields)
	}
	m.sort()
	return m, nil
}

// sort computes what is derived from the fields.
func (m *Mapping) sort() {
	m.known = make([]string, 0, len(m.fields))
	m.folded = make(map[string][]string, len(m.fields))
	for path, f := range m.fields {
		if f.family != metaFamily {
			m.known = append(m.known, path)
		}
	}
	slices.Sort(m.known)
	for _, path := range m.known {
		name := fold(path)
		m.folded[name] = append(m.folded[name], path)
	}
}

// agree combines the fields of one name in several indices.
func agree(each []*Field) *Field {
	f := *each[0]
	var names []string
	for _, v := range each {
		names = lists.Add(names, v.Type)
		f.Searchable = f.Searchable && v.Searchable
		f.Sortable = f.Sortable && v.Sortable
		f.indexed = f.indexed && v.indexed
		f.positions = f.positions && v.positions
		f.flattened = f.flattened || v.flattened
		f.targets = lists.Add(f.targets, v.targets...)
		f.copyTo = lists.Add(f.copyTo, v.copyTo...)
		if v.ignoreAbove > 0 && (f.ignoreAbove == 0 || v.ignoreAbove < f.ignoreAbove) {
			f.ignoreAbove = v.ignoreAbove
		}
		if v.script != f.script {
			f.script += "\n" + v.script
		}
	}
	if len(names) > 1 {
		slices.Sort(names)
		f.Types, f.Type, f.family = names, names[0], types[names[0]]
	}
	return &f
}

// split returns how indices treat a field differently. A search of all of them would find
// the documents of some, without an error. An index without the field treats it alike,
// unless its documents have the values under another name, or without an index.
func split(path string, each []*Field, names []string, read []*mappingReader) string {
	var otherNames []string
	for _, f := range each {
		otherNames = lists.Add(otherNames, append([]string{f.Parent}, f.targets...)...)
	}
	var kinds, texts []string
	for i, r := range read {
		kind, text := r.reading(path, otherNames)
		if kind == "" || slices.Contains(kinds, kind) {
			continue
		}
		kinds = append(kinds, kind)
		texts = append(texts, text+" in "+quoted(names[i]))
	}
	if len(kinds) < 2 {
		return ""
	}
	return strings.Join(texts[:min(len(texts), maxCandidates)], ", ")
}

// reading returns how the index reads a field, for comparisons and for messages. kind is
// empty if its documents do not have the field. otherNames are fields with its values.
func (r *mappingReader) reading(path string, otherNames []string) (kind, text string) {
	f := r.fields[path]
	switch {
	case f != nil && isWhole(f.Type) && f.Type != "unsigned_long":
		return "a whole number" + strings.TrimPrefix(f.reading, f.Type), f.reading
	case f != nil:
		return f.reading, f.reading
	case (&Mapping{partial: r.partial}).why(path) != "":
		return "not indexed", "not indexed"
	}
	for _, name := range otherNames {
		if r.fields[name] != nil {
			return "missing", "missing"
		}
	}
	return "", ""
}
