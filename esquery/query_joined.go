package esquery

import (
	"slices"

	"github.com/qedkit/qed/refusal"
)

var (
	nestedParams = withCommon(
		param{key: "path", takes: anything, required: true},
		param{key: "query", takes: anything, required: true},
		param{key: "score_mode", takes: aText},
		param{key: "ignore_unmapped", takes: aSwitch},
		param{key: "inner_hits", takes: anything})
	hasChildParams = withCommon(
		param{key: "type", takes: aText, required: true},
		param{key: "query", takes: anything, required: true},
		param{key: "score_mode", takes: aText},
		param{key: "min_children", takes: aCount},
		param{key: "max_children", takes: aPositive},
		param{key: "ignore_unmapped", takes: aSwitch},
		param{key: "inner_hits", takes: anything})
	hasParentParams = withCommon(
		param{key: "parent_type", takes: aText, required: true},
		param{key: "query", takes: anything, required: true},
		param{key: "score", takes: aSwitch},
		param{key: "ignore_unmapped", takes: aSwitch},
		param{key: "inner_hits", takes: anything})
	parentIDParams = withCommon(
		param{key: "type", takes: aText, required: true},
		param{key: "id", takes: aText, required: true},
		param{key: "ignore_unmapped", takes: aSwitch})
)

// nestedQuery checks a query on the objects of a nested field.
func (c *checker) nestedQuery(v *value) {
	if v.kind == object && v.get("path") == nil && v.get("query") != nil {
		c.report(ErrMalformed, c.nestedObjects(), "nested needs a path: the name of a nested object")
		return
	}
	if !c.params(v, "nested", nestedParams) {
		return
	}
	c.in("path")
	f := c.nestedObject(v.get("path"))
	c.out()
	if f == nil {
		return // the scope of its query is not known
	}
	outer := c.nested
	c.nested = f.Path
	c.member(v, "query", c.query)
	// inner_hits see the fields of the nested objects.
	c.member(v, "inner_hits", c.innerHits)
	c.nested = outer
}

// hasChild and hasParent find documents by their joined documents, which must
// match the mandatory filter as well.
func (c *checker) hasChild(v *value) {
	if !c.params(v, "has_child", hasChildParams) {
		return
	}
	c.relation(v, "type", false)
	c.joined(v)
}

func (c *checker) hasParent(v *value) {
	if !c.params(v, "has_parent", hasParentParams) {
		return
	}
	c.relation(v, "parent_type", true)
	c.joined(v)
}

func (c *checker) parentID(v *value) {
	if c.params(v, "parent_id", parentIDParams) {
		c.relation(v, "type", false)
	}
}

// joined checks the query on joined documents, which are never nested objects.
func (c *checker) joined(v *value) {
	outer := c.nested
	c.nested = ""
	c.member(v, "query", func(q *value) {
		c.query(q)
		c.confine(q)
	})
	c.member(v, "inner_hits", c.innerHits)
	c.nested = outer
}

// relation checks the name of a relation: one that has children, or one that is
// a child.
func (c *checker) relation(v *value, key string, parent bool) {
	var known []string
	for _, f := range c.index.mapping.joins {
		if c.visible(f.Path) {
			for above, below := range f.Relations {
				if parent {
					known = append(known, above)
				} else {
					known = append(known, below...)
				}
			}
		}
	}
	slices.Sort(known)
	name := v.get(key)
	if slices.Contains(known, name.text) {
		return
	}
	c.in(key)
	defer c.out()
	if len(known) == 0 {
		c.report(ErrFieldType, []string{"nested"},
			"the index has no join field, so its documents have no parents and children")
		return
	}
	c.report(ErrUnknownField, refusal.Nearest(name.text, known, maxCandidates),
		"there is no relation %s", quoted(name.text))
}
