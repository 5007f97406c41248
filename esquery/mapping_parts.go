package esquery

import "strconv"

// object reads an object or nested object with its fields.
func (r *mappingReader) object(f *Field, v *value, at place) error {
	f.Searchable, f.Sortable = false, false
	r.fields[f.Path] = f
	if is(v, "enabled", "false") {
		r.partial[f.Path] = notEnabled
		return nil
	}
	at.prefix = f.Path + "."
	r.dynamic(v, f.Path, &at)
	if f.Type == "passthrough" {
		r.through = append(r.through, f.Path)
	}
	if f.family == nestedFamily {
		at.included = included(f, v)
		f.included = at.included
		at.nested = f.Path
	}
	return r.properties(v.get("properties"), at)
}

// included returns the scopes around a nested object that also see its fields:
// the one around it, and the ones in which that one is included.
func included(f *Field, v *value) []string {
	var scopes []string
	if is(v, "include_in_parent", "true") {
		scopes = append(append(scopes, f.Nested), f.included...)
	}
	if is(v, "include_in_root", "true") {
		scopes = append(scopes, "")
	}
	return scopes
}

// multiFields reads the fields that also hold the values of f.
func (r *mappingReader) multiFields(f *Field, v *value, at place) error {
	if v == nil {
		return nil
	}
	if v.kind != object {
		return mappingError("the fields of %s are not an object", quoted(f.Path))
	}
	at.prefix = f.Path + "."
	for i := range v.members {
		if err := r.property(&v.members[i], at); err != nil {
			return err
		}
		if sub := r.fields[at.prefix+v.members[i].key]; sub != nil {
			sub.Parent = f.Path
		}
	}
	return nil
}

// shingles adds the fields that search_as_you_type creates.
func (r *mappingReader) shingles(f *Field, v *value) {
	most, err := strconv.Atoi(textOf(v, "max_shingle_size"))
	if err != nil || most < 2 || most > 4 {
		most = 3
	}
	add := func(name string) {
		sub := *f
		sub.Path, sub.Parent, sub.copyTo = f.Path+"."+name, f.Path, nil
		r.fields[sub.Path] = &sub
	}
	for n := 2; n <= most; n++ {
		add("_" + strconv.Itoa(n) + "gram")
	}
	add("_index_prefix")
}

// relations reads the relations of a join, and adds the field of each parent.
func (r *mappingReader) relations(f *Field, v *value) {
	if v == nil {
		return
	}
	for i := range v.members {
		parent := v.members[i].key
		f.relations = append(append(f.relations, parent), textsOf(&v.members[i].value)...)
		sub := *f
		sub.Path, sub.Parent, sub.relations = f.Path+"#"+parent, f.Path, nil
		r.fields[sub.Path] = &sub
	}
}
