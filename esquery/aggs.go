package esquery

import (
	"maps"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/wordset"
	"github.com/qedkit/qed/refusal"
)

// aggregationsOf checks the aggregations of a body.
func (c *checker) aggregationsOf(root *value) {
	trees := 0
	for i := range root.members {
		m := &root.members[i]
		if m.key != "aggs" && m.key != "aggregations" {
			continue
		}
		c.in(m.key)
		if trees++; trees > 1 {
			c.report(ErrMalformed, nil, "the body has both aggs and aggregations; engines ignore one of them")
			c.out()
			continue
		}
		c.around = 1
		if n := c.aggregations(&m.value, root); n > maxBuckets {
			c.report(ErrTooExpensive, nil,
				"the aggregations could make %d buckets; at most %d are allowed: use smaller sizes, wider "+
					"intervals or fewer levels",
				n, maxBuckets)
		}
		c.out()
	}
}

// aggregations checks a tree of aggregations and returns how many buckets they
// could make, as far as the body determines it. root is the body.
func (c *checker) aggregations(v, root *value) int {
	if !c.is(v, object, "aggs") || !c.deeper() {
		return 0
	}
	defer c.shallower()
	buckets := 0
	for i := range v.members {
		m := &v.members[i]
		c.in(m.key)
		switch {
		case aggregationTypes[m.key] != nil && m.value.get("field") != nil:
			c.report(ErrMalformed, nil, `an aggregation needs a name above its type: {"a name": {%s: ...}}`, quoted(m.key))
		case c.depth > 1 && bucketMembers[m.key]:
			c.report(ErrMalformed, nil,
				"an aggregation within another one cannot be called %s: buckets have a member of that name, which it would hide", quoted(m.key))
		default:
			buckets = min(buckets+c.aggregation(&m.value, root), tooMany)
		}
		c.out()
	}
	return buckets
}

// bucketMembers are the members of buckets that are not aggregations.
var bucketMembers = wordset.Of(
	`doc_count doc_count_error_upper_bound from from_as_string key key_as_string to to_as_string`)

// aggregation checks one aggregation, which has exactly one type, and the
// aggregations below it.
func (c *checker) aggregation(v, root *value) int {
	if !c.is(v, object, "an aggregation") {
		return 0
	}
	var typed, below *member
	for i := range v.members {
		m := &v.members[i]
		switch m.key {
		case "aggs", "aggregations":
			if below != nil {
				c.report(ErrMalformed, nil, "an aggregation has aggs or aggregations, not both")
				return 0
			}
			below = m
		case "meta":
		default:
			if typed != nil {
				c.report(ErrMalformed, nil,
					"an aggregation has exactly one type; this has %s and %s", quoted(typed.key), quoted(m.key))
				return 0
			}
			typed = m
		}
	}
	if typed == nil {
		c.report(ErrMalformed, nil, `an aggregation needs a type, such as {"terms": {"field": ...}}`)
		return 0
	}
	kind := aggregationTypes[typed.key]
	if kind == nil {
		c.unknownAggregation(typed)
		return 0
	}
	outer := c.treeScope
	c.in(typed.key)
	if c.aggs++; c.aggs == maxAggregations+1 {
		c.report(ErrTooExpensive, nil, "a body can have at most %d aggregations", maxAggregations)
	}
	if kind.buckets {
		c.fewParents()
	}
	own := c.aggregationType(typed, kind, root)
	names := []string{"_count", "_key", "_term", "_time"} // the last two in OpenSearch
	if below != nil {
		names = append(names, lists.Map(below.value.members, func(m member) string { return m.key })...)
	}
	c.member(&typed.value, "order", func(v *value) { c.each(v, func(by *value) { c.order(by, names) }) })
	c.out()
	n := own.sure
	if below != nil {
		c.in(below.key)
		if kind.buckets {
			c.around = times(c.around, own.most)
		}
		inner := max(1, c.aggregations(&below.value, root))
		if kind.buckets {
			n = times(n, inner)
		} else {
			n = max(n, inner)
		}
		c.out()
	}
	c.treeScope = outer
	return n
}

// order checks that buckets are ordered by what they have. Engines check the rest of a path.
func (c *checker) order(v *value, names []string) {
	for _, m := range v.members {
		if !slices.ContainsFunc(names, func(name string) bool {
			rest, ok := strings.CutPrefix(m.key, name)
			return ok && (rest == "" || strings.ContainsRune(">.[", rune(rest[0])))
		}) {
			c.report(ErrMalformed, refusal.Nearest(m.key, names, maxCandidates),
				"the buckets are ordered by %s, which is no aggregation within them; use _count, _key or a name in aggs", quoted(m.key))
		}
	}
}

func (c *checker) unknownAggregation(typed *member) {
	c.in(typed.key)
	defer c.out()
	if r, ok := refusedAggregations[typed.key]; ok {
		c.report(r.code, r.instead, "%s is refused: %s", typed.key, r.why)
		return
	}
	names := slices.Sorted(maps.Keys(aggregationTypes))
	c.report(ErrUnknownKey, refusal.Nearest(typed.key, names, maxCandidates),
		"there is no aggregation type %s", quoted(typed.key))
}
