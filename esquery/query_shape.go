package esquery

import "strings"

func (c *checker) geoShape(v *value)   { c.shapeOf(v, "geo_shape", needGeo) }
func (c *checker) planeShape(v *value) { c.shapeOf(v, "shape", needShape) }

func (c *checker) shapeOf(v *value, name string, n need) {
	m := c.fieldBeside(v, name, geoShapeParams)
	if m == nil {
		return
	}
	c.in(m.key)
	defer c.out()
	c.field(&m.key, n)
	if !c.params(&m.value, name, shapeParams) {
		return
	}
	shape := m.value.get("shape")
	if shape == nil {
		c.report(Malformed, nil, "%s needs a shape", name)
		return
	}
	c.in("shape")
	c.geometry(shape)
	c.out()
}

// geometries are the kinds of GeoJSON and those of the engines, without letter case.
var geometries = []string{"point", "linestring", "polygon", "multipoint", "multilinestring", "multipolygon",
	"geometrycollection", "envelope", "circle"}

// geometry checks a shape, as GeoJSON or well-known text.
func (c *checker) geometry(v *value) {
	if v.kind == str {
		word := strings.ToLower(strings.TrimSpace(v.text))
		for _, kind := range append(geometries, "bbox") {
			if strings.HasPrefix(word, kind) {
				return
			}
		}
		c.report(InvalidLiteral, nil, "%s is no shape in well-known text", quoted(v.text))
		return
	}
	kind := v.get("type")
	if v.kind != object || kind == nil || kind.kind != str {
		c.report(InvalidLiteral, nil, `a shape is written {"type": ..., "coordinates": ...}, or as well-known text`)
		return
	}
	name := strings.ToLower(kind.text)
	coordinates := v.get("coordinates")
	known := false
	for _, g := range geometries {
		known = known || g == name
	}
	switch {
	case !known:
		c.in("type")
		c.report(InvalidLiteral, geometries, "there is no shape of the type %s", quoted(kind.text))
		c.out()
	case name == "geometrycollection":
		parts := v.get("geometries")
		if parts == nil || parts.kind != array {
			c.report(InvalidLiteral, nil, "a geometrycollection has an array of geometries")
			return
		}
		for i := range parts.items {
			c.geometry(&parts.items[i])
		}
	case coordinates == nil || coordinates.kind != array:
		c.report(InvalidLiteral, nil, "a shape needs coordinates, which are an array")
	case name == "circle" && (v.get("radius") == nil || !isDistance(v.get("radius").text)):
		c.report(InvalidLiteral, nil, `a circle needs a radius, such as "10km"`)
	case !isPosition(coordinates, shapeDepth[name]):
		c.in("coordinates")
		c.report(InvalidLiteral, nil, "the coordinates of a %s are %s of numbers, the longitude first", name, [...]string{"an array", "an array of arrays",
			"arrays of arrays of arrays", "arrays of arrays of arrays of arrays"}[shapeDepth[name]])
		c.out()
	}
}

// shapeDepth is how many arrays lie around the positions of a shape.
var shapeDepth = map[string]int{"linestring": 1, "multipoint": 1, "envelope": 1, "polygon": 2, "multilinestring": 2, "multipolygon": 3}

func isPosition(v *value, depth int) bool {
	if v.kind != array {
		return false
	}
	if depth == 0 {
		if len(v.items) < 2 {
			return false
		}
		for i := range v.items {
			if v.items[i].kind != number {
				return false
			}
		}
		return true
	}
	for i := range v.items {
		if !isPosition(&v.items[i], depth-1) {
			return false
		}
	}
	return len(v.items) > 0
}
