package esquery

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/wordset"
)

var (
	geoParams = []param{
		{key: "validation_method", takes: aText},
		{key: "ignore_unmapped", takes: aSwitch},
	}
	geoDistanceQueryParams = withCommon(append(geoParams,
		param{key: "distance", takes: aText, required: true},
		param{key: "unit", takes: aText},
		param{key: "distance_type", takes: aText})...)
	geoAreaParams = withCommon(geoParams...)
	boxParams     = []param{
		{key: "top_left"}, {key: "bottom_right"}, {key: "top_right"}, {key: "bottom_left"},
		{key: "top"}, {key: "left"}, {key: "bottom"}, {key: "right"}, {key: "wkt"},
	}
)

// fieldBeside returns the one member of v that is not a known parameter, and
// checks the others.
func (c *checker) fieldBeside(v *value, owner string, known []param) (field *member) {
	if !c.is(v, object, owner) {
		return nil
	}
	fields := 0
	for i := range v.members {
		m := &v.members[i]
		p := paramOf(known, m.key)
		if p == nil {
			field = m
			fields++
			continue
		}
		c.in(m.key)
		c.takes(&m.value, p)
		c.out()
	}
	missing := slices.IndexFunc(known, func(p param) bool { return p.required && v.get(p.key) == nil })
	switch {
	case fields != 1:
		c.report(ErrMalformed, []string{"bool"}, `%s is written {"%s": {"FIELD": ...}} with one field; put one %s for each field into a bool`,
			owner, owner, owner)
	case missing >= 0:
		c.report(ErrMalformed, nil, "%s needs %s", owner, quoted(known[missing].key))
	default:
		return field
	}
	return nil
}

// geoBoundingBox checks {"FIELD": {"top_left": ..., "bottom_right": ...}}.
func (c *checker) geoBoundingBox(v *value) {
	m := c.fieldBeside(v, "geo_bounding_box", geoAreaParams)
	if m == nil {
		return
	}
	c.in(m.key)
	c.field(&m.key, needGeo)
	c.params(&m.value, "geo_bounding_box", boxParams)
	c.out()
}

func (c *checker) geoDistance(v *value) {
	m := c.fieldBeside(v, "geo_distance", geoDistanceQueryParams)
	if m == nil {
		return
	}
	c.member(v, "distance", func(distance *value) {
		if !isDistance(distance.text) && !isDistance(distance.text+textOf(v, "unit")) {
			c.report(ErrInvalidLiteral, nil, "%s is not a distance, such as 10km", quoted(distance.text))
		}
	})
	c.in(m.key)
	if c.field(&m.key, needGeo) != nil {
		c.geoPoint(&m.value)
	}
	c.out()
}

// geoPoint reports a point that engines accept although it does not exist: they
// compute distances to the latitude 91, and find nothing near the number 5. The
// forms are {"lat":52.5,"lon":13.4}, [13.4,52.5], "52.5,13.4", well-known text and
// geohashes, of which engines check the last two.
func (c *checker) geoPoint(v *value) {
	var lat, lon float64
	ok := true
	switch v.kind {
	case object:
		y, x := v.get("lat"), v.get("lon")
		if y == nil || x == nil {
			return
		}
		lat, _ = numberOf(y)
		lon, _ = numberOf(x)
	case array:
		if ok = len(v.items) > 1; ok {
			lon, _ = numberOf(&v.items[0])
			lat, _ = numberOf(&v.items[1])
		}
	case str:
		y, x, pair := strings.Cut(v.text, ",")
		if !pair {
			return
		}
		var err1, err2 error
		lat, err1 = strconv.ParseFloat(strings.TrimSpace(y), 64)
		lon, err2 = strconv.ParseFloat(strings.TrimSpace(x), 64)
		ok = err1 == nil && err2 == nil
	default:
		ok = false
	}
	if !ok || math.Abs(lat) > 90 || math.Abs(lon) > 180 || math.IsNaN(lat) || math.IsNaN(lon) {
		c.report(ErrInvalidLiteral, nil,
			`this is not a point such as {"lat":52.5,"lon":13.4}: `+
				"the latitude is within -90 and 90, the longitude within -180 and 180; in an array the longitude is first")
	}
}

// isDistance reports whether s is a length. Without a unit it is in metres.
func isDistance(s string) bool {
	unit := strings.TrimLeft(s, "-+.0123456789eE")
	number := stringValue(strings.TrimSpace(s[:len(s)-len(unit)]))
	_, ok := numberOf(&number)
	unit = strings.TrimSpace(unit)
	return ok && (unit == "" || distanceUnits[unit])
}

var distanceUnits = wordset.Of(`mi miles yd yards ft feet in inch km kilometers m meters cm centimeters
	mm millimeters nmi NM nauticalmiles`)
