package esquery

import (
	"strconv"
	"strings"
)

// A mappingReader reads the mapping of one index.
type mappingReader struct {
	fields  map[string]*Field
	partial map[string]string
	aliases []*Field
	through []string // passthrough objects, whose fields have shorter names too
}

// Reasons why a document can have fields that a search cannot use.
const (
	notEnabled = "its object is not enabled in the mapping, so nothing in it is indexed"
	notDynamic = "its object is not dynamic, so fields that the mapping does not list are stored and not indexed"
)

// A place is a location in a mapping.
type place struct {
	prefix   string
	nested   string
	included []string
	dynamic  string
}

func readIndex(mapping *value) (*mappingReader, error) {
	if mapping.kind != object {
		return nil, mappingError("the mapping is not an object")
	}
	r := &mappingReader{fields: map[string]*Field{}, partial: map[string]string{}}
	if is(mapping, "enabled", "false") {
		r.partial[""] = notEnabled
		return r, nil
	}
	at := place{}
	r.dynamic(mapping, "", &at)
	if err := r.properties(mapping.get("properties"), at); err != nil {
		return nil, err
	}
	if err := r.runtime(mapping.get("runtime"), ""); err != nil {
		return nil, err
	}
	r.shorten()
	r.resolve()
	return r, nil
}

// is reports whether v has a member with that text. Engines treat true and
// "true" alike.
func is(v *value, key, text string) bool {
	m := v.get(key)
	return m != nil && (m.kind == boolean || m.kind == str) && m.text == text
}

// textOf returns the text of a member that is a string or number, or an empty
// string.
func textOf(v *value, key string) string {
	if m := v.get(key); m != nil && (m.kind == str || m.kind == number) {
		return m.text
	}
	return ""
}

// dynamic records an object whose fields need not be in the mapping.
func (r *mappingReader) dynamic(v *value, path string, at *place) {
	if m := v.get("dynamic"); m != nil {
		at.dynamic = m.text
	}
	if at.dynamic == "false" {
		r.partial[path] = notDynamic
	}
}

func (r *mappingReader) properties(v *value, at place) error {
	if v == nil {
		return nil
	}
	if v.kind != object {
		return mappingError("the properties of %s are not an object", quoted(strings.TrimSuffix(at.prefix, ".")))
	}
	for i := range v.members {
		if err := r.property(&v.members[i], at); err != nil {
			return err
		}
	}
	return nil
}

func (r *mappingReader) property(p *member, at place) error {
	path := at.prefix + p.key
	if p.key == "" || p.value.kind != object {
		return mappingError("the property %s is not an object, or has no name", quoted(path))
	}
	if len(r.fields) >= maxMappingFields {
		return mappingError("it has more than %d fields", maxMappingFields)
	}
	f := r.field(path, &p.value, at)
	if f.Type == "" {
		return mappingError("the type of %s is not a string", quoted(path))
	}
	switch {
	case f.family == objectFamily || f.family == nestedFamily:
		return r.object(f, &p.value, at)
	case f.Type == "search_as_you_type":
		r.shingles(f, &p.value)
	case f.Type == "join":
		r.relations(f, p.value.get("relations"))
	case f.Type == "alias":
		f.Target = textOf(&p.value, "path")
		r.aliases = append(r.aliases, f)
		return nil
	}
	r.fields[path] = f
	return r.multiFields(f, p.value.get("fields"), at)
}

// field reads the definition of a field.
func (r *mappingReader) field(path string, v *value, at place) *Field {
	f := &Field{Path: path, Type: "object", Nested: at.nested, included: at.included}
	if t := v.get("type"); t != nil {
		f.Type = ""
		if t.kind == str {
			f.Type = t.text
		}
	}
	f.family = types[f.Type]
	f.flattened = f.family == flattenedFamily
	f.indexed = !is(v, "index", "false") && !is(v, "index", "no")
	f.capabilities(v)
	f.copyTo = textsOf(v.get("copy_to"))
	f.ignoreAbove, _ = strconv.Atoi(textOf(v, "ignore_above"))
	f.reading = reading(f, v)
	if f.family == dateFamily || f.family == dateRangeFamily {
		f.Formats = formats(f.Type, textOf(v, "format"))
	}
	return f
}

// readings are the parameters that change which values a query finds in an index.
var readings = [...]string{
	"analyzer", "search_analyzer", "normalizer", "format", "locale", "null_value", "scaling_factor", "dims", "dimension",
}

// reading returns how an index reads the values of a field.
func reading(f *Field, v *value) string {
	var with []string
	for _, key := range readings {
		if text := textOf(v, key); text != "" {
			with = append(with, key+" "+quoted(text))
		}
	}
	if f.Nested != "" {
		with = append(with, "in nested "+quoted(f.Nested))
	}
	if len(with) == 0 {
		return f.Type
	}
	return f.Type + " with " + strings.Join(with, ", ")
}

// capabilities computes whether a field can be searched and sorted by.
func (f *Field) capabilities(v *value) {
	docValues := !is(v, "doc_values", "false")
	f.Searchable, f.Sortable = f.indexed, docValues
	switch f.family {
	case textFamily:
		f.Sortable = is(v, "fielddata", "true")
		options := textOf(v, "index_options")
		f.analyzer = textOf(v, "analyzer")
		f.positions = options == "" || options == "positions" || options == "offsets"
	case keywordFamily, numberFamily, dateFamily, booleanFamily, ipFamily:
		f.Searchable = f.indexed || docValues // engines search doc values one document after the other
	case binaryFamily:
		f.Searchable, f.Sortable = false, is(v, "doc_values", "true")
	case objectFamily, nestedFamily, semanticFamily, opaqueFamily:
		f.Sortable = false
	}
}

// formats returns the date formats of a field, or the default of its type.
func formats(typ, declared string) []string {
	switch {
	case declared != "":
		return strings.Split(declared, "||")
	case typ == "date_nanos":
		return []string{"strict_date_optional_time_nanos", "epoch_millis"}
	}
	return []string{"strict_date_optional_time", "epoch_millis"}
}

// textsOf returns the strings of an array, or a single string.
func textsOf(v *value) []string {
	switch {
	case v == nil:
		return nil
	case v.kind == str:
		return []string{v.text}
	}
	var all []string
	for i := range v.items {
		if v.items[i].kind == str {
			all = append(all, v.items[i].text)
		}
	}
	return all
}

// runtime reads computed fields. They replace properties of the same name.
func (r *mappingReader) runtime(v *value, prefix string) error {
	if v == nil {
		return nil
	}
	if v.kind != object {
		return mappingError("the runtime fields are not an object")
	}
	for i := range v.members {
		path, field := prefix+v.members[i].key, &v.members[i].value
		if field.kind != object {
			return mappingError("the runtime field %s is not an object", quoted(path))
		}
		var script string
		if s := field.get("script"); s != nil {
			script = string(s.appendTo(nil))
		}
		if sub := field.get("fields"); sub != nil && textOf(field, "type") == "composite" {
			if err := r.runtime(sub, path+"."); err != nil {
				return err
			}
			for j := range sub.members {
				if f := r.fields[path+"."+sub.members[j].key]; f != nil {
					f.script = script
				}
			}
			continue
		}
		f := r.field(path, field, place{})
		if f.Type == "lookup" {
			f.Searchable, f.Sortable = false, false // it can only be fetched
		}
		f.script, f.indexed = script, false
		r.fields[path] = f
	}
	return nil
}

// shorten adds the shorter names of the fields in passthrough objects.
func (r *mappingReader) shorten() {
	for _, object := range r.through {
		for path, f := range r.fields {
			short, ok := strings.CutPrefix(path, object+".")
			if !ok || r.fields[short] != nil {
				continue
			}
			alias := *f
			alias.Path, alias.Target, alias.targets, alias.copyTo = short, path, []string{path}, nil
			r.fields[short] = &alias
		}
	}
}

// resolve replaces aliases by their targets. An alias without a target is left
// out.
func (r *mappingReader) resolve() {
	for _, a := range r.aliases {
		target := r.fields[a.Target]
		if target == nil || target.Target == target.Path {
			continue
		}
		f := *target
		f.Path, f.Target, f.targets, f.Parent, f.copyTo = a.Path, a.Target, []string{a.Target}, "", nil
		r.fields[f.Path] = &f
	}
}
