package esquery

import (
	"maps"
	"slices"
	"strings"
)

// AddFieldCaps returns a Mapping that also follows the response of GET
// /index/_field_caps?fields=*: abilities that a field lacks, types that differ
// between indices, and fields that the mapping does not list. m does not change.
// The error matches [ErrMapping].
func (m *Mapping) AddFieldCaps(response []byte) (*Mapping, error) {
	root, err := readMapping(response)
	if err != nil {
		return nil, err
	}
	fields := root.get("fields")
	if fields == nil || fields.kind != object {
		return nil, mappingError("the field caps have no fields")
	}
	if len(fields.members) > maxMappingFields {
		return nil, mappingError("the field caps have more than %d fields", maxMappingFields)
	}
	merged := &Mapping{indices: m.indices, fields: maps.Clone(m.fields), partial: m.partial}
	if len(merged.indices) == 0 {
		merged.indices = slices.Sorted(slices.Values(textsOf(root.get("indices"))))
	}
	for i := range fields.members {
		if err := merged.addCaps(fields.members[i].key, &fields.members[i].value); err != nil {
			return nil, err
		}
	}
	merged.sort()
	return merged, nil
}

// caps are the field caps of one name.
type caps struct {
	types                    []string
	searchable, aggregatable bool
	meta, unmapped           bool
}

func (m *Mapping) addCaps(path string, v *value) error {
	if v.kind != object || path == "" {
		return mappingError("the field caps of %s are not an object, or have no name", quoted(path))
	}
	c := caps{searchable: true, aggregatable: true}
	for i := range v.members {
		typ, says := v.members[i].key, &v.members[i].value
		if says.kind != object {
			return mappingError("the field caps of %s are not an object", quoted(path))
		}
		if typ == "unmapped" {
			c.unmapped = true
			continue
		}
		c.types = append(c.types, typ)
		c.meta = c.meta || is(says, "metadata_field", "true")
		c.searchable = c.searchable && is(says, "searchable", "true") && says.get("non_searchable_indices").kindOf() != array
		c.aggregatable = c.aggregatable && is(says, "aggregatable", "true") &&
			says.get("non_aggregatable_indices").kindOf() != array
	}
	if len(c.types) == 0 || strings.HasSuffix(path, ".") {
		return nil
	}
	slices.Sort(c.types)
	m.follow(path, &c)
	return nil
}

// kindOf returns the kind of a member that may be missing.
func (v *value) kindOf() kind {
	if v == nil {
		return null
	}
	return v.kind
}

func (m *Mapping) follow(path string, c *caps) {
	have := m.fields[path]
	if have == nil {
		if c.meta || strings.HasPrefix(path, "_") || m.flattened(path) != nil {
			return // searches do not use these
		}
		m.fields[path] = m.unlisted(path, c)
		return
	}
	f := *have
	f.Partial = f.Partial || c.unmapped
	if f.family != objectFamily && f.family != nestedFamily {
		// Some versions report fields that only have doc values as not
		// searchable, although queries find them.
		if !c.searchable && (f.indexed || f.family == metaFamily || f.family == otherFamily) {
			f.Searchable = false
		}
		f.Sortable = f.Sortable && c.aggregatable
		if f.family == metaFamily {
			f.Sortable = c.aggregatable
		}
	}
	if len(c.types) > 1 && f.Types == nil && f.family != metaFamily {
		f.Types, f.Type = c.types, c.types[0]
		f.split = strings.Join(c.types, " or ")
		f.flattened = slices.ContainsFunc(c.types, func(typ string) bool { return types[typ] == flattenedFamily })
	}
	m.fields[path] = &f
}

// unlisted returns a field that only the field caps have, such as a runtime
// field of a newer mapping.
func (m *Mapping) unlisted(path string, c *caps) *Field {
	f := &Field{
		Path: path, Type: c.types[0], family: types[c.types[0]],
		Searchable: c.searchable, Sortable: c.aggregatable, indexed: c.searchable, Partial: c.unmapped, positions: true,
	}
	for i := strings.LastIndexByte(path, '.'); i > 0; i = strings.LastIndexByte(path[:i], '.') {
		if around := m.fields[path[:i]]; around != nil {
			f.Nested, f.included = around.Nested, around.included
			if around.family == nestedFamily {
				f.Nested = around.Path
			}
			break
		}
	}
	if f.family == dateFamily || f.Type == "date_range" {
		f.Formats = nil // not known: any format may be right
	}
	if len(c.types) > 1 {
		f.Types, f.split = c.types, strings.Join(c.types, " or ")
	}
	return f
}
