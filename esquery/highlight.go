package esquery

import "strings"

// highlightParams are the parameters of highlight and of each of its fields.
var highlightParams = []param{
	{key: "type", takes: aText},
	{key: "pre_tags", takes: texts},
	{key: "post_tags", takes: texts},
	{key: "fragment_size", takes: aCount},
	{key: "number_of_fragments", takes: aCount},
	{key: "no_match_size", takes: aCount},
	{key: "order", takes: aText},
	{key: "require_field_match", takes: aSwitch},
}

var (
	highlightTopParams = append([]param{
		{key: "fields", takes: anything, required: true},
		{key: "encoder", takes: aText},
		{key: "tags_schema", takes: aText},
	}, highlightParams...)
)

// highlight checks which matches are highlighted.
func (c *checker) highlight(v *value) {
	if !c.params(v, "highlight", highlightTopParams) {
		return
	}
	c.member(v, "fields", func(fields *value) {
		c.each(fields, func(names *value) {
			if !c.is(names, object, "fields") {
				return
			}
			for i := range names.members {
				c.highlighted(&names.members[i])
			}
		})
	})
}

func (c *checker) highlighted(m *member) {
	c.in(m.key)
	defer c.out()
	if strings.Contains(m.key, "*") {
		c.pattern(m.key, needHighlight, nil)
	} else if f := c.resolve(&m.key, needHighlight); f != nil && !needHighlight.fits(f) {
		c.unfit(f, needHighlight)
	}
	c.params(&m.value, "a field of highlight", highlightParams)
	c.marked++
}
