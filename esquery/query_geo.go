package esquery

import (
	"strconv"
	"strings"
)

var (
	geoParams = []param{
		{key: "validation_method", takes: aWord, words: []string{"STRICT", "COERCE", "IGNORE_MALFORMED"}},
		{key: "ignore_unmapped", takes: aSwitch},
	}
	geoDistanceQueryParams = withCommon(append(geoParams,
		param{key: "distance", takes: aText, required: true},
		param{key: "unit", takes: exactWord, words: distanceUnits},
		param{key: "distance_type", takes: aWord, words: []string{"arc", "plane"}})...)
	geoAreaParams  = withCommon(geoParams...)
	geoShapeParams = withCommon(param{key: "ignore_unmapped", takes: aSwitch})
	shapeParams    = []param{
		{key: "shape", takes: anything},
		{key: "relation", takes: aWord, words: []string{"intersects", "disjoint", "within", "contains"}},
		{key: "indexed_shape", takes: refused, why: "it reads another document, which nothing here can check; give the shape itself"},
		{key: "strategy", takes: aWord, words: []string{"recursive", "term"}},
	}
	geoGridParams = []param{
		{key: "geohash", takes: aText},
		{key: "geotile", takes: aText},
		{key: "geohex", takes: aText},
	}
	polygonParams = []param{{key: "points", takes: anArray, required: true}}
)

// fieldBeside returns the one member of v that is none of known, which it checks.
func (c *checker) fieldBeside(v *value, owner string, known []param) *member {
	if !c.is(v, object, owner) {
		return nil
	}
	var field *member
	for i := range v.members {
		m := &v.members[i]
		p := paramOf(known, m.key)
		c.in(m.key)
		switch {
		case p != nil:
			c.takes(&m.value, p)
		case field == nil:
			field = m
		case !c.knows(m.key):
			c.unknownKey(m.key, owner, known)
		case !c.knows(field.key):
			c.out()
			c.in(field.key)
			c.unknownKey(field.key, owner, known)
			field = m
		default:
			c.report(Malformed, []string{"bool"}, "%s takes one field; put one %s for each into a bool", owner, owner)
		}
		c.out()
	}
	for i := range known {
		if known[i].required && v.get(known[i].key) == nil {
			c.report(Malformed, nil, "%s needs %s", owner, quoted(known[i].key))
			return nil
		}
	}
	if field == nil {
		c.report(Malformed, nil, "%s names no field", owner)
	}
	return field
}

func (c *checker) geoDistance(v *value) {
	m := c.fieldBeside(v, "geo_distance", geoDistanceQueryParams)
	if m == nil {
		return
	}
	distance, unit := v.get("distance").text, ""
	if u := v.get("unit"); u != nil {
		unit = u.text
	}
	if !isDistance(distance) && !isDistance(distance+unit) || strings.HasPrefix(distance, "-") ||
		strings.Trim(distance, "0. abcdefghijklmnopqrstuvwxyz") == "" {
		c.in("distance")
		c.report(InvalidLiteral, nil, "%s is no distance above zero, such as 10km", quoted(distance))
		c.out()
	}
	c.in(m.key)
	if c.field(&m.key, needGeo) != nil {
		c.geoPoint(&m.value)
	}
	c.out()
}

func (c *checker) geoBoundingBox(v *value) {
	m := c.fieldBeside(v, "geo_bounding_box", geoAreaParams)
	if m == nil {
		return
	}
	c.in(m.key)
	defer c.out()
	c.field(&m.key, needGeo)
	if !c.is(&m.value, object, "a box") {
		return
	}
	keys := make([]string, 0, 4)
	for i := range m.value.members {
		corner := &m.value.members[i]
		c.in(corner.key)
		switch corner.key {
		case "top_left", "bottom_right", "top_right", "bottom_left":
			c.geoPoint(&corner.value)
		case "top", "left", "bottom", "right":
			if _, ok := numberOf(&corner.value); !ok {
				c.report(InvalidLiteral, nil, "%s must be a number of degrees", corner.key)
			}
		case "wkt":
			c.must(corner.value.kind == str && strings.HasPrefix(strings.ToUpper(corner.value.text), "BBOX"), &corner.value, "wkt", `a text such as "BBOX (-10, 10, 10, -10)"`)
		}
		c.out()
		keys = append(keys, corner.key)
	}
	if !isBox(keys) {
		c.report(Malformed, nil, "a box has top_left and bottom_right, or top_right and bottom_left, or top, left, bottom and right, or wkt; this has %s",
			strings.Join(keys, ", "))
		return
	}
	top, ok1 := latitude(&m.value, "top", "top_left", "top_right")
	bottom, ok2 := latitude(&m.value, "bottom", "bottom_right", "bottom_left")
	if ok1 && ok2 && top < bottom {
		c.report(InvalidLiteral, nil, "the top of the box lies below its bottom")
	}
}

func isBox(keys []string) bool {
	has := func(all ...string) bool {
		for _, key := range all {
			found := false
			for _, k := range keys {
				found = found || k == key
			}
			if !found {
				return false
			}
		}
		return len(keys) == len(all)
	}
	return has("top_left", "bottom_right") || has("top_right", "bottom_left") || has("top", "left", "bottom", "right") || has("wkt")
}

// latitude returns that of the first of the keys that v has, where it is written as
// a number.
func latitude(v *value, keys ...string) (float64, bool) {
	for _, key := range keys {
		corner := v.get(key)
		switch {
		case corner == nil:
		case corner.kind == object && corner.get("lat") != nil:
			return numberOf(corner.get("lat"))
		case corner.kind == array && len(corner.items) == 2:
			return numberOf(&corner.items[1])
		case corner.kind == number:
			return numberOf(corner)
		}
	}
	return 0, false
}

func (c *checker) geoPolygon(v *value) {
	m := c.fieldBeside(v, "geo_polygon", geoAreaParams)
	if m == nil {
		return
	}
	c.in(m.key)
	defer c.out()
	c.field(&m.key, needGeoPoint)
	if !c.params(&m.value, "a polygon", polygonParams) {
		return
	}
	c.in("points")
	defer c.out()
	points := m.value.get("points").items
	if len(points) < 3 {
		c.report(Malformed, nil, "a polygon has three points at least")
	}
	for i := range points {
		c.at(i)
		c.geoPoint(&points[i])
		c.out()
	}
}

func (c *checker) geoGrid(v *value) {
	m := c.fieldBeside(v, "geo_grid", geoShapeParams)
	if m == nil {
		return
	}
	c.in(m.key)
	defer c.out()
	c.field(&m.key, needGeo)
	if !c.params(&m.value, "geo_grid", geoGridParams) {
		return
	}
	if len(m.value.members) != 1 {
		c.report(Malformed, nil, "geo_grid takes one of geohash, geotile, geohex")
		return
	}
	if tile := m.value.get("geotile"); tile != nil {
		parts := strings.Split(tile.text, "/")
		for _, part := range parts {
			if _, err := strconv.ParseUint(part, 10, 31); err != nil || len(parts) != 3 {
				c.report(InvalidLiteral, nil, `%s is no tile, such as "6/32/22"`, quoted(tile.text))
				return
			}
		}
	}
}
