package esquery

import (
	"math"
	"strings"
)

// histogram checks the bounds of a histogram, and estimates its buckets. width is
// the width of a step.
func (c *checker) histogram(p *value, f *Field, width float64, root *value) bucketCount {
	if f == nil || width <= 0 {
		return oneBucket
	}
	before := c.faults
	c.knownBounds(p, f)
	if c.faults > before {
		return oneBucket
	}
	format, known := textOf(p, "format"), unbounded()
	if query := root.get("query"); query != nil && c.nested == "" && !c.others {
		known.narrow(query, f)
	}
	if hard := p.get("hard_bounds"); hard != nil {
		known.bound(f, hard, "min", "max", format)
	}
	possible := known
	possible.intersect(typeSpan(f))
	n, most := known.length()/width, possible.length()/width
	if count(p, "min_doc_count", 0) == 0 {
		if extended := p.get("extended_bounds"); extended != nil {
			at := unbounded()
			at.bound(f, extended, "min", "max", format)
			if m := at.length() / width; !math.IsInf(m, 0) && (math.IsInf(n, 0) || m > n) {
				n = m
			}
		}
		// Documents do not bound the empty buckets between others.
		if math.IsInf(known.length(), 1) && most*float64(c.around) > maxGaps && !c.leaveOutGaps(p, f) {
			return oneBucket
		}
	}
	if !math.IsInf(n, 0) {
		return buckets(n)
	}
	if f.family == dateFamily {
		most = min(most, usualYears*365*day/width)
	}
	return bucketCount{sure: 1, most: buckets(most).most}
}

// leaveOutGaps leaves out the empty buckets of numbers. It reports those of dates,
// because a series over time would be wrong without them.
func (c *checker) leaveOutGaps(p *value, f *Field) bool {
	if f.family != dateFamily {
		c.in("min_doc_count")
		c.fixed(ErrTooExpensive, "1",
			"a bucket would be made for each step between the least and the greatest %s, which are not known, so only "+
				"buckets with documents are returned; a range of %s in the query or hard_bounds returns all",
			quoted(f.Path), quoted(f.Path))
		c.out()
		p.set("min_doc_count", value{kind: number, text: "1"})
		return true
	}
	c.report(ErrTooExpensive, []string{"hard_bounds", "min_doc_count"},
		"a bucket is made for each step between the first and the last document, which are not known: add a range of "+
			"%s with both ends to the query, or hard_bounds, or min_doc_count 1",
		quoted(f.Path))
	return false
}

// buckets returns the count of n steps.
func buckets(n float64) bucketCount {
	if math.IsNaN(n) || n < 1 {
		return oneBucket
	}
	steps := int(min(math.Ceil(n), tooMany))
	return bucketCount{sure: steps, most: steps}
}

// knownBounds reports bounds whose cost cannot be estimated.
func (c *checker) knownBounds(p *value, f *Field) {
	for _, key := range [...]string{"extended_bounds", "hard_bounds"} {
		c.member(p, key, func(v *value) {
			if !c.params(v, key, boundsParams) {
				return
			}
			for i := range v.members {
				bound := &v.members[i]
				if bound.value.kind == null {
					continue
				}
				c.in(bound.key)
				if _, _, ok := pointOf(f, &bound.value, textOf(p, "format")); !ok {
					c.report(ErrInvalidLiteral, nil, "the bound %s cannot be read; write it as a number or a date%s",
						quoted(bound.value.text), such(f.Formats))
				} else if f.family == dateFamily {
					c.date(f, &bound.value, boundLiteral, textOf(p, "format"))
				}
				c.out()
			}
		})
	}
}

// interval returns the width of a step of a date_histogram, or reports that it
// cannot be read: the cost would not be known.
func (c *checker) interval(p *value) float64 {
	calendar, fixed := p.get("calendar_interval"), p.get("fixed_interval")
	switch {
	case (calendar == nil) == (fixed == nil):
		c.report(ErrMalformed, []string{"calendar_interval", "fixed_interval"},
			"date_histogram needs one of calendar_interval and fixed_interval")
	case calendar != nil:
		if width := unitMillis(calendar.text); width >= 1000 {
			return width
		}
		c.in("calendar_interval")
		c.report(ErrInvalidLiteral, []string{"minute", "hour", "day", "week", "month", "quarter", "year"},
			"%s is not a calendar_interval, which is one unit; several of a unit are a fixed_interval", quoted(calendar.text))
		c.out()
	default:
		unit := strings.TrimLeft(fixed.text, "0123456789")
		number := stringValue(fixed.text[:len(fixed.text)-len(unit)])
		n, ok := numberOf(&number)
		if width := n * unitMillis(unit); ok && width > 0 && strings.Contains(" ms s m h d ", " "+unit+" ") {
			return width
		}
		c.in("fixed_interval")
		c.report(ErrInvalidLiteral, nil,
			"%s is not a fixed_interval, which is a number of ms, s, m, h or d, such as 30m", quoted(fixed.text))
		c.out()
	}
	return 0
}
