package esquery

import (
	"slices"
	"strings"

	"github.com/qedkit/qed/refusal"
)

// bucketOrder checks what buckets are ordered by: their count, their key, or the
// value of an aggregation below them.
func (c *checker) bucketOrder(v, below *value) {
	if v.kind != array {
		c.oneBucketOrder(v, below)
		return
	}
	for i := range v.items {
		c.at(i)
		c.oneBucketOrder(&v.items[i], below)
		c.out()
	}
}

func (c *checker) oneBucketOrder(v, below *value) {
	if !c.must(v.kind == object && len(v.members) > 0, v, "order", `an object such as {"_count": "desc"}`) {
		return
	}
	for i := range v.members {
		m := &v.members[i]
		c.in(m.key)
		c.word(&m.value, &orderOnlyParams[0])
		switch m.key {
		case "_count", "_key":
		case "_term", "_time":
			c.report(UnknownKey, []string{"_key"}, "%s is gone from Elasticsearch 8; it is _key", m.key)
		default:
			c.orderPath(m.key, below)
		}
		c.out()
	}
}

// orderPath checks a path by which buckets are ordered: through single buckets to
// one number.
func (c *checker) orderPath(path string, below *value) {
	names := strings.Split(path, ">")
	at := below
	for i, name := range names {
		last := i == len(names)-1
		value := ""
		if last {
			name, value = splitValue(at, name)
		}
		kind, inner := c.step(at, name, path)
		if kind == nil {
			return
		}
		switch {
		case !last && kind.yields != oneBucket:
			c.report(Malformed, nil, "%s makes more than one bucket, so that no single value can be read from it", quoted(name))
			return
		case last && kind.within != anywhere && kind.within != belowDateBuckets:
			c.report(Malformed, []string{"bucket_sort"}, "%s is known only after the buckets were ordered; use bucket_sort", quoted(name))
			return
		case last && kind.yields == oneBucket:
			if value != "" && value != "doc_count" {
				c.report(Malformed, []string{name}, "%s is one bucket, ordered by its name alone", quoted(name))
			}
		case last:
			c.oneNumber(name, value, kind)
		}
		at = inner
	}
}

// splitValue cuts the name of a value off a name: stats.avg, percentiles[50].
func splitValue(at *value, name string) (of, value string) {
	if at != nil && at.get(name) != nil {
		return name, ""
	}
	if i := strings.IndexByte(name, '['); i > 0 && strings.HasSuffix(name, "]") {
		return name[:i], strings.Trim(name[i+1:len(name)-1], `'"`)
	}
	for i := 1; i < len(name); i++ { // percentiles.99.9 has a dot in its value
		if name[i] == '.' && at != nil && at.get(name[:i]) != nil {
			return name[:i], name[i+1:]
		}
	}
	return name, ""
}

// step returns the aggregation of that name, and what stands below it.
func (c *checker) step(at *value, name, path string) (*aggregation, *value) {
	if at != nil {
		if def := at.get(name); def != nil {
			for i := range def.members {
				if kind := aggregationTypes[def.members[i].key]; kind != nil {
					inner := def.get("aggs")
					if inner == nil {
						inner = def.get("aggregations")
					}
					return kind, inner
				}
			}
			return nil, nil // the aggregation itself is faulty, which is noted there
		}
	}
	var names []string
	if at != nil {
		for i := range at.members {
			names = append(names, at.members[i].key)
		}
	}
	candidates := refusal.Nearest(name, names, maxCandidates)
	if len(candidates) == 0 && len(names) <= maxCandidates {
		candidates = names
	}
	c.report(UnknownKey, candidates, "the path %s names no aggregation: there is no %s", quoted(path), quoted(name))
	return nil, nil
}

// oneNumber notes where value of an aggregation is no number.
func (c *checker) oneNumber(name, value string, kind *aggregation) {
	switch kind.yields {
	case oneValue:
		if value != "" && value != "value" && value != "normalized_value" {
			c.report(Malformed, []string{name}, "%s has one value, named by %s alone", quoted(name), quoted(name))
		}
	case manyValues:
		switch {
		case value == "":
			c.report(Malformed, prefixed(name, kind.metrics), "%s has several values; name one, as in %s", quoted(name), quoted(name+".avg"))
		case len(kind.metrics) > 0 && !slices.Contains(kind.metrics, value):
			c.report(UnknownKey, prefixed(name, refusal.Nearest(value, kind.metrics, maxCandidates)), "%s has no value %s", quoted(name), quoted(value))
		}
	default:
		c.report(Malformed, nil, "no number can be read from %s", quoted(name))
	}
}

func prefixed(name string, values []string) []string {
	var names []string
	for _, v := range values[:min(len(values), maxCandidates)] {
		names = append(names, name+"."+v)
	}
	return names
}

// pipeline checks an aggregation that works on others.
func (c *checker) pipeline(name string, kind *aggregation, p, beside *value) {
	switch name {
	case "bucket_sort":
		if p.get("sort") == nil && p.get("from") == nil && p.get("size") == nil {
			c.report(Malformed, nil, "bucket_sort needs sort, from or size")
		}
		c.member(p, "sort", func(v *value) { c.bucketSort(v, beside) })
		return
	case "percentiles_bucket":
		c.metric("percentiles", p)
	}
	path := p.get("buckets_path")
	c.in("buckets_path")
	defer c.out()
	if path.kind == array && len(path.items) == 1 {
		c.at(0)
		defer c.out()
		path = &path.items[0]
	}
	if c.must(path.kind == str, path, "buckets_path", "the name of an aggregation") {
		c.bucketsPath(path.text, beside, kind.within == besideBuckets)
	}
}

func (c *checker) bucketSort(v, beside *value) {
	for i := range list(v) {
		item := v
		if v.kind == array {
			c.at(i)
			item = &v.items[i]
		}
		switch item.kind {
		case str:
			c.bucketsPath(item.text, beside, false)
		case object:
			for j := range item.members {
				m := &item.members[j]
				c.in(m.key)
				if c.sortOrder(&m.value) {
					c.params(&m.value, "a sort", orderOnlyParams)
				}
				c.bucketsPath(m.key, beside, false)
				c.out()
			}
		default:
			c.must(false, item, "sort", "a path or an object")
		}
		if v.kind == array {
			c.out()
		}
	}
}

// bucketsPath checks a path to one number of each bucket: of those beside it, which
// the path must name, or of the one that it stands in.
func (c *checker) bucketsPath(path string, at *value, many bool) {
	names := strings.Split(path, ">")
	for i, name := range names {
		last := i == len(names)-1
		if isBucketWord(name) {
			if !last || many && i == 0 {
				c.report(Malformed, nil, "the path %s names no aggregation", quoted(path))
			} else if many {
				c.report(Malformed, nil, "the path %s leads through no buckets", quoted(path))
			}
			return
		}
		var value string
		name, value = splitValue(at, name)
		kind, inner := c.step(at, name, path)
		if kind == nil {
			return
		}
		switch kind.yields {
		case manyBuckets:
			if c.throughBuckets(path, name, value, last, i+1 < len(names) && isBucketWord(names[i+1]), many) {
				return
			}
			many, at = false, inner
		case oneBucket:
			if last && value != "_count" && value != "doc_count" {
				c.report(Malformed, []string{path + ">_count"}, "%s is a bucket; the path must lead to a number", quoted(name))
				return
			}
			if last && many {
				c.report(Malformed, nil, "the path %s leads through no buckets", quoted(path))
			}
			at = inner
		default:
			switch {
			case !last:
				c.report(Malformed, nil, "%s makes no buckets, and nothing is below it", quoted(name))
			case many:
				c.report(Malformed, nil, "the path %s must begin with an aggregation of several buckets, and lead to a number in each", quoted(path))
			default:
				c.oneNumber(name, value, kind)
			}
			return
		}
	}
}

// throughBuckets checks a part of a path that names several buckets, and reports
// whether the path ends there.
func (c *checker) throughBuckets(path, name, value string, last, counted, many bool) bool {
	switch {
	case last && (value == "_count" || value == "_bucket_count"):
		return true
	case last:
		c.report(Malformed, []string{path + ">_count"}, "%s makes buckets; the path must lead to a number in each", quoted(name))
		return true
	case many && value != "":
		c.report(Malformed, []string{strings.Replace(path, "["+value+"]", "", 1)}, "%s must be named without one of its buckets, as each of them counts", quoted(name))
		return true
	case !many && value == "" && !counted:
		c.report(Malformed, nil, "%s makes several buckets in each bucket; name one, as in %s", quoted(name), quoted(name+"['key']"))
		return true
	}
	return false
}

func isBucketWord(name string) bool {
	return name == "_count" || name == "_key" || name == "_bucket_count"
}
