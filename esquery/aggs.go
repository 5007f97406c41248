package esquery

import (
	"slices"
	"strings"

	"github.com/qedkit/qed/refusal"
)

// aggregation is what is known of a type of aggregation.
type aggregation struct {
	yields  yield
	params  []param
	metrics []string // the names of its values, where it has several
	within  within
}

// yield is what an aggregation gives, which decides what can stand below it and
// what a path can read from it.
type yield uint8

const (
	oneValue    yield = iota // a metric
	manyValues               // a metric of several named values
	noValue                  // what no path can read: hits, points
	oneBucket                // the documents at hand, or a part of them
	manyBuckets              // parts of them
)

// within is where an aggregation may stand.
type within uint8

const (
	anywhere         within = iota
	belowBuckets            // computed in each bucket of what is around it
	belowHistogram          // the same, where buckets have an order and a width
	besideBuckets           // computed from the buckets of what is beside it
	onlyAtTop               // not below another aggregation
	belowDateBuckets        // below a date_histogram or composite
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
			c.report(Malformed, nil, "a body has aggs or aggregations, of which one is lost")
		} else if n := c.aggregations(&m.value, parent{root: root}); n > c.v.opt.MaxBuckets {
			c.report(TooExpensive, nil, "the aggregations could make %d buckets; at most %d are allowed: take smaller sizes, wider intervals or fewer levels",
				n, c.v.opt.MaxBuckets)
		}
		c.out()
	}
}

// parent is what stands around aggregations.
type parent struct {
	name string       // of the type; empty at the top
	of   *aggregation // nil at the top
	root *value       // the body
	// direct says that nothing but single buckets that a composite can stand in is around.
	direct bool
}

// aggregations checks a tree of aggregations, and returns how many buckets they
// could make, as far as that can be said.
func (c *checker) aggregations(v *value, around parent) int {
	if !c.is(v, object, "aggs") {
		return 0
	}
	if !c.deeper() {
		return 0
	}
	defer c.shallower()
	buckets := 0
	for i := range v.members {
		m := &v.members[i]
		c.in(m.key)
		if m.key == "" || strings.ContainsAny(m.key, "[]>") {
			c.report(Malformed, nil, "an aggregation's name must not be empty or hold [, ] or >")
		}
		if aggregationTypes[m.key] != nil && m.value.get("field") != nil {
			c.report(Malformed, nil, `an aggregation needs a name, under which its type stands: {"a name": {%s: ...}}`, quoted(m.key))
		} else {
			buckets = plus(buckets, c.aggregation(&m.value, v, around))
		}
		c.out()
	}
	return buckets
}

// aggregation checks one aggregation: exactly one type, and what stands below it.
func (c *checker) aggregation(v, beside *value, around parent) int {
	if !c.is(v, object, "an aggregation") {
		return 0
	}
	var typed *member
	var below *value
	var kind *aggregation
	for i := range v.members {
		m := &v.members[i]
		switch m.key {
		case "aggs", "aggregations":
			if below != nil {
				c.report(Malformed, nil, "an aggregation has aggs or aggregations, not both")
				return 0
			}
			below = &m.value
		case "meta":
			c.in(m.key)
			c.is(&m.value, object, "meta")
			c.out()
		default:
			if typed != nil {
				c.report(Malformed, nil, "an aggregation has exactly one type; this has %s and %s", quoted(typed.key), quoted(m.key))
				return 0
			}
			typed = m
		}
	}
	if typed == nil {
		c.report(Malformed, nil, `an aggregation needs a type, such as {"terms": {"field": ...}}`)
		return 0
	}
	if kind = aggregationTypes[typed.key]; kind == nil {
		c.unknownAggregation(typed)
		return 0
	}
	c.in(typed.key)
	c.placed(typed.key, kind, around)
	outer := c.nested
	own := c.aggregationType(typed, kind, v, beside, below, around)
	c.out()
	buckets := c.below(typed, kind, v, below, around, own)
	c.nested = outer
	return buckets
}

// below checks the aggregations in each bucket.
func (c *checker) below(typed *member, kind *aggregation, v, below *value, around parent, own int) int {
	if below == nil {
		switch typed.key {
		case "sampler", "diversified_sampler", "random_sampler":
			c.report(Malformed, nil, "%s is of no use without aggregations below it", typed.key)
		}
		return own
	}
	key := "aggs"
	if v.get(key) == nil {
		key = "aggregations"
	}
	c.in(key)
	defer c.out()
	if kind.yields != oneBucket && kind.yields != manyBuckets {
		if len(below.members) > 0 || below.kind != object {
			c.report(Malformed, nil, "%s makes no buckets, so that no aggregations can stand below it; put them beside it", typed.key)
		}
		return own
	}
	direct := (typed.key == "filter" || typed.key == "nested") && (around.of == nil || around.direct)
	inner := c.aggregations(below, parent{name: typed.key, of: kind, root: around.root, direct: direct})
	if kind.yields == oneBucket {
		return max(own, inner)
	}
	return times(own, max(1, inner))
}

func (c *checker) unknownAggregation(typed *member) {
	c.in(typed.key)
	defer c.out()
	names := make([]string, 0, len(aggregationTypes))
	for name := range aggregationTypes {
		names = append(names, name)
	}
	slices.Sort(names)
	switch {
	case typed.key == "scripted_metric" || typed.key == "bucket_script" || typed.key == "bucket_selector" || typed.key == "moving_fn":
		c.report(Script, nil, "%s is a script, and scripts are refused", typed.key)
	case typed.key == "inference":
		c.report(Forbidden, nil, "inference needs a model of the cluster")
	case typed.value.kind == object && len(typed.value.members) > 0 && aggregationTypes[typed.value.members[0].key] != nil:
		c.report(UnknownKey, []string{typed.value.members[0].key}, "there is no aggregation type %s; names of aggregations stand in aggs alone", quoted(typed.key))
	default:
		c.report(UnknownKey, refusal.Nearest(typed.key, names, maxCandidates), "there is no aggregation type %s", quoted(typed.key))
	}
}

// placed notes an aggregation where it cannot stand.
func (c *checker) placed(name string, kind *aggregation, around parent) {
	top := around.of == nil
	switch kind.within {
	case belowBuckets:
		if top || around.of.yields != manyBuckets {
			c.report(Malformed, nil, "%s works on the buckets around it; put it into the aggs of an aggregation of buckets", name)
		}
	case belowHistogram:
		if top || !isHistogram(around.name) {
			c.report(Malformed, []string{"date_histogram", "histogram"}, "%s works on the buckets around it; put it into the aggs of a histogram or date_histogram", name)
		}
	case belowDateBuckets:
		if top {
			c.report(Malformed, []string{"date_histogram"}, "%s stands in the aggs of a date_histogram", name)
		}
	case onlyAtTop:
		if !top {
			c.report(Malformed, nil, "%s can only stand at the top", name)
		}
	}
	if name == "composite" && !top && !around.direct {
		c.report(Malformed, nil, "composite can only stand at the top, or below filter and nested")
	}
}

func isHistogram(name string) bool {
	return name == "histogram" || name == "date_histogram" || name == "auto_date_histogram"
}

// plus and times stay at a number that is above every limit.
func plus(a, b int) int { return min(a+b, tooMany) }

func times(a, b int) int {
	if a > 0 && b > tooMany/a {
		return tooMany
	}
	return a * b
}

const tooMany = 1 << 30
