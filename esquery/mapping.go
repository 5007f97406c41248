package esquery

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrMapping is matched by the errors of [ParseMapping] and [Mapping.AddFieldCaps]
// for what is no mapping, or no field caps, of Elasticsearch or OpenSearch.
var ErrMapping = errors.New("esquery: this is no mapping")

func mappingError(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrMapping, fmt.Sprintf(format, args...))
}

// Limits of what is read. The engines' own are far lower: 1,000 fields in an index.
const (
	maxMappingBytes  = 64 << 20
	maxMappingFields = 200_000
)

// Mapping is what one index, or several that are searched together, can be asked
// for. Make one with [ParseMapping]. It is safe for concurrent use and never changes.
type Mapping struct {
	indices []string            // that it was made of, sorted
	fields  map[string]*Field   // by path
	known   []string            // of all but metadata, sorted
	folded  map[string][]string // paths by what they are without letter case and marks
	partial map[string]string   // objects of which the mapping does not have all fields, and why

	joins []*Field // sorted by path
}

// Field returns the field of that exact name: also a multi-field, an alias, a
// runtime field, a metadata field such as _id, or a key of a flattened field.
func (m *Mapping) Field(path string) (Field, bool) {
	f := m.lookup(path)
	if f == nil {
		return Field{}, false
	}
	return *f, true
}

// Fields returns all fields but metadata, sorted by their paths. Objects are among
// them.
func (m *Mapping) Fields() []Field {
	all := make([]Field, len(m.known))
	for i, path := range m.known {
		all[i] = *m.fields[path]
	}
	return all
}

// Indices returns the names of the indices that it was made of, sorted; none where
// the mapping did not name one.
func (m *Mapping) Indices() []string { return slices.Clone(m.indices) }

// lookup returns the field of that exact name; nil: there is none.
func (m *Mapping) lookup(path string) *Field {
	if f := m.fields[path]; f != nil {
		return f
	}
	root := m.flattened(path)
	if root == nil {
		return nil
	}
	key := *root
	key.Path, key.family, key.variants = path, keyedFamily, nil
	return &key
}

// flattened returns the flattened field of which path would be a key; nil: none.
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

// why says, for the message about a field that does not exist, why a document may
// have it all the same; empty: there is nothing to say.
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

// ParseMapping reads the response of GET /index/_mapping, or one mapping alone:
// {"mappings":{...}} or {"properties":{...}}. Several indices become one Mapping,
// which says where they disagree. The error matches [ErrMapping].
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
			return nil, mappingError("it has no mappings and no properties: it is no mapping")
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

// ofMapping are keys of a mapping, of which one alone may be there.
var ofMapping = []string{"properties", "dynamic", "runtime", "enabled", "_source", "_meta"}

// readMapping reads a response strictly: a key that is there twice would make it
// mean something else to another reader.
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
		return value{}, mappingError("the key %s is there twice", quoted(twice))
	}
	return root, nil
}

// ofIndices reports whether root is a response, which has an index above each
// mapping, rather than a mapping alone.
func ofIndices(root *value) bool {
	for i := range root.members {
		mappings := root.members[i].value.get("mappings")
		if mappings == nil || mappings.kind != object {
			return false
		}
	}
	// A mapping alone may have a field of the name "mappings".
	return len(root.members) != 1 || root.members[0].key != "properties"
}

// merge makes one mapping of those of several indices. names are those of the
// indices, in the same order.
func merge(names []string, read []*mappingReader) (*Mapping, error) {
	m := &Mapping{fields: newMetaFields(), partial: map[string]string{}}
	m.indices = slices.Sorted(slices.Values(names))
	if len(read) == 1 {
		for path, f := range read[0].fields {
			m.fields[path] = f
		}
		m.partial = read[0].partial
	} else {
		all := map[string][]*Field{}
		for _, r := range read {
			for path, f := range r.fields {
				all[path] = append(all[path], f)
			}
			for path, reason := range r.partial {
				m.partial[path] = reason
			}
		}
		for path, each := range all {
			f := agree(each)
			f.Partial = len(each) < len(read)
			m.fields[path] = f
		}
	}
	if len(m.fields) > maxMappingFields {
		return nil, mappingError("it has more than %d fields", maxMappingFields)
	}
	m.sort()
	return m, nil
}

// sort makes what is derived from the fields.
func (m *Mapping) sort() {
	m.known = make([]string, 0, len(m.fields))
	m.folded = make(map[string][]string, len(m.fields))
	for path, f := range m.fields {
		if f.family != metaFamily {
			m.known = append(m.known, path)
		}
	}
	slices.Sort(m.known)
	m.joins = nil
	for _, path := range m.known {
		name, f := fold(path), m.fields[path]
		m.folded[name] = append(m.folded[name], path)
		if f.Relations != nil {
			m.joins = append(m.joins, f)
		}
	}
}

// agree returns what the fields of one name in several indices are together.
func agree(each []*Field) *Field {
	f := *each[0]
	var names []string
	same := true
	for _, v := range each {
		if !slices.Contains(names, v.Type) {
			names = append(names, v.Type)
		}
		same = same && f.alike(v)
		f.Searchable = f.Searchable && v.Searchable
		f.Sortable = f.Sortable && v.Sortable
		f.Runtime = f.Runtime || v.Runtime
		f.indexed = f.indexed && v.indexed
		f.positions = f.positions && v.positions
		f.analyzer = cmp.Or(f.analyzer, v.analyzer)
		for _, to := range v.copyTo {
			if !slices.Contains(f.copyTo, to) {
				f.copyTo = append(f.copyTo[:len(f.copyTo):len(f.copyTo)], to)
			}
		}
		if v.script != f.script {
			f.script += "\n" + v.script
		}
	}
	if len(names) > 1 {
		slices.Sort(names)
		f.Types, f.Type = names, names[0]
		f.family = otherFamily
		for _, v := range each {
			if v.Type == f.Type {
				f.family = v.family
			}
		}
	}
	if !same {
		f.variants = distinct(each)
	}
	return &f
}

// alike reports whether two indices take the same values for a field, and let it be
// used alike.
func (f *Field) alike(o *Field) bool {
	return f.Type == o.Type && f.Nested == o.Nested && slices.Equal(f.Formats, o.Formats) && f.Dims == o.Dims &&
		slices.Equal(f.included, o.included) && f.Target == o.Target && f.Parent == o.Parent
}

// distinct leaves out the fields that are like an earlier one.
func distinct(each []*Field) []*Field {
	var out []*Field
	for _, v := range each {
		if !slices.ContainsFunc(out, func(o *Field) bool {
			return o.alike(v) && o.Searchable == v.Searchable && o.Sortable == v.Sortable
		}) {
			out = append(out, v)
		}
	}
	return out
}
