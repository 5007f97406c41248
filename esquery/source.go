package esquery

import "strings"

var (
	fetchedFieldParams = []param{
		{key: "field", takes: anything, required: true},
		{key: "format", takes: aText},
	}
	sourceParams = []param{
		{key: "includes", takes: texts}, {key: "excludes", takes: texts},
	}
)

// source checks which part of the documents a search returns.
func (c *checker) source(v *value) {
	switch v.kind {
	case boolean:
	case str:
		if v.text == "true" || v.text == "false" {
			c.fixed(ErrMalformed, v.text, "_source reads the string %s as the name of a field", quoted(v.text))
			*v = value{kind: boolean, text: v.text}
			return
		}
		c.sourcePattern(v)
	case array:
		c.sourcePatterns(v)
	case object:
		if c.params(v, "_source", sourceParams) {
			c.member(v, "includes", c.sourcePatterns) // excluded fields need not exist
		}
	default:
		c.report(ErrMalformed, nil,
			"_source must be true, false, a field, an array of them, or an object with includes and excludes")
	}
}

func (c *checker) sourcePatterns(v *value) { c.each(v, c.sourcePattern) }

// sourcePattern checks a name or pattern of _source. Documents can have fields
// that the mapping does not list.
func (c *checker) sourcePattern(v *value) {
	if !c.must(v.kind == str, v, "_source", "the name of a field") || strings.Contains(v.text, "*") {
		return // a pattern can match fields that are not mapped; hidden ones are excluded later
	}
	m := c.index.mapping
	f := m.lookup(v.text)
	if f == nil || !c.visible(v.text) {
		if f != nil || m.why(v.text) == "" || !c.visible(v.text) { // documents may have a field that the mapping does not list
			c.resolve(&v.text, needExist)
		}
		return
	}
	switch {
	case f.Parent != "":
		c.report(ErrFieldType, []string{f.Parent},
			"documents have no %s: it is a multi-field of %s", quoted(f.Path), quoted(f.Parent))
	case f.Target != "":
		c.report(ErrFieldType, []string{f.Target},
			"documents have no %s: it is an alias of %s", quoted(f.Path), quoted(f.Target))
	}
}

// fetched checks the fields that a search returns.
func (c *checker) fetched(v *value) {
	if !c.must(v.kind == array, v, "it", "an array of fields") {
		return
	}
	for i := range v.items {
		c.at(i)
		switch item := &v.items[i]; item.kind {
		case str:
			c.fetchedName(item)
		case object:
			if c.params(item, "a field", fetchedFieldParams) {
				c.in("field")
				f := c.fetchedName(item.get("field"))
				c.out()
				if f != nil && f.family == dateFamily {
					c.member(item, "format", func(v *value) { c.dateFormat(v, false) })
				}
			}
		default:
			c.report(ErrMalformed, nil, "it must be a field's name or an object with the field, and is %s", item.kind)
		}
		c.out()
	}
}

// fetchedName checks a name or pattern. It returns the field of a name.
func (c *checker) fetchedName(v *value) *Field {
	if !c.must(v.kind == str, v, "a field", "a name") {
		return nil
	}
	if strings.Contains(v.text, "*") {
		c.pattern(v.text, needExist, nil)
		return nil
	}
	f := c.resolve(&v.text, needExist)
	if f == nil {
		return nil
	}
	if !needExist.fits(f) {
		c.unfit(f, needExist)
		return nil
	}
	if f.family == keyedFamily && f.Type == "flat_object" {
		c.report(ErrFieldType, []string{"_source"},
			"%s is a key of a flat_object, and engines return all keys; name it in _source", quoted(f.Path))
		return nil
	}
	if f.family == objectFamily || f.family == nestedFamily {
		c.report(ErrFieldType, []string{f.Path + ".*"},
			"%s is of type %s and has no value of its own", quoted(f.Path), f.Type)
		return nil
	}
	return f
}

// pattern returns the visible fields that a name with * stands for and that fit n, or
// reports why the pattern is refused. If sees is not nil, the fields must be seen there.
func (c *checker) pattern(pattern string, n need, sees func(*Field) bool) (found []*Field) {
	// Each pattern is compared with all fields, here and by the engine.
	if c.patterns++; c.patterns > maxPatterns {
		c.report(ErrTooExpensive, nil, "a body can have at most %d patterns of names; name the fields", maxPatterns)
		return nil
	}
	m := c.index.mapping
	for _, name := range m.known {
		f := m.fields[name]
		switch {
		case !glob(pattern, name):
		case !c.visible(name), f.Type == "lookup" && sees == nil && c.confined():
			c.report(ErrForbidden, nil, "name the fields: %s matches more than may be read or searched", quoted(pattern))
			return nil
		case sees != nil && !sees(f):
		case f.split != "" && sees != nil && n != needExist:
			c.unfit(f, n)
			return nil
		case n.fits(f):
			found = append(found, f)
		}
	}
	if len(found) == 0 && (sees != nil || n != needExist || m.why(strings.TrimRight(pattern, ".*")) == "") {
		c.report(ErrUnknownField, c.candidates(strings.Trim(pattern, "*."), n), "no field that can be used here matches %s", quoted(pattern))
	}
	return found
}
