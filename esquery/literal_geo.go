package esquery

import (
	"math"
	"strconv"
	"strings"
)

// geoPoint notes where v is no point: {"lat":52.5,"lon":13.4}, [13.4,52.5], which is
// longitude first, "52.5,13.4", "POINT (13.4 52.5)" or a geohash.
func (c *checker) geoPoint(v *value) {
	switch v.kind {
	case object:
		c.geoObject(v)
	case array:
		c.geoArray(v.items)
	case str:
		c.geoText(v.text)
	default:
		c.report(InvalidLiteral, nil, `%s is no point, such as {"lat":52.5,"lon":13.4}`, v.kind)
	}
}

// geoPoints is geoPoint where an array of points can stand as well.
func (c *checker) geoPoints(v *value) {
	if v.kind != array || len(v.items) > 0 && v.items[0].kind == number {
		c.geoPoint(v)
		return
	}
	if len(v.items) == 0 {
		c.report(InvalidLiteral, nil, "there is no point in it")
	}
	for i := range v.items {
		c.at(i)
		c.geoPoint(&v.items[i])
		c.out()
	}
}

func (c *checker) geoObject(v *value) {
	if hash := v.get("geohash"); hash != nil && len(v.members) == 1 {
		c.geoText(hash.text)
		return
	}
	lat, lon := v.get("lat"), v.get("lon")
	if lat == nil || lon == nil || len(v.members) != 2 {
		c.report(InvalidLiteral, nil, `a point as an object has "lat" and "lon", and nothing else`)
		return
	}
	y, ok1 := coordinate(lat)
	x, ok2 := coordinate(lon)
	if !ok1 || !ok2 {
		c.report(InvalidLiteral, nil, "lat and lon of a point must be numbers")
		return
	}
	c.onEarth(y, x)
}

func coordinate(v *value) (float64, bool) {
	if v.kind != number && v.kind != str {
		return 0, false
	}
	return parseNumber(v, false)
}

func (c *checker) geoArray(items []value) {
	if len(items) != 2 || items[0].kind != number || items[1].kind != number {
		c.report(InvalidLiteral, nil, "a point as an array has two numbers: the longitude, then the latitude")
		return
	}
	x, _ := coordinate(&items[0])
	y, _ := coordinate(&items[1])
	c.onEarth(y, x)
}

const geohashDigits = "0123456789bcdefghjkmnpqrstuvwxyz"

func (c *checker) geoText(text string) {
	if inner, ok := cutPoint(text); ok {
		xy := strings.Fields(inner)
		if len(xy) == 2 {
			c.geoNumbers(text, xy[1], xy[0])
			return
		}
	} else if lat, lon, ok := strings.Cut(text, ","); ok {
		c.geoNumbers(text, strings.TrimSpace(lat), strings.TrimSpace(lon))
		return
	} else if text != "" && len(text) <= 12 && strings.Trim(strings.ToLower(text), geohashDigits) == "" && strings.ToLower(text) == text {
		return
	}
	c.report(InvalidLiteral, nil, `%s is no point, such as "52.5,13.4" (latitude first) or a geohash`, quoted(text))
}

// cutPoint returns what stands in the parentheses of POINT ( ).
func cutPoint(text string) (string, bool) {
	text = strings.TrimSpace(text)
	if len(text) < 5 || !strings.EqualFold(text[:5], "POINT") {
		return "", false
	}
	inner, ok := strings.CutPrefix(strings.TrimSpace(text[5:]), "(")
	if !ok {
		return "", true
	}
	inner, ok = strings.CutSuffix(inner, ")")
	if !ok {
		return "", true
	}
	return inner, true
}

func (c *checker) geoNumbers(text, lat, lon string) {
	y, err1 := strconv.ParseFloat(lat, 64)
	x, err2 := strconv.ParseFloat(lon, 64)
	if err1 != nil || err2 != nil || math.IsNaN(y) || math.IsNaN(x) {
		c.report(InvalidLiteral, nil, `%s is no point, such as "52.5,13.4" (latitude first)`, quoted(text))
		return
	}
	c.onEarth(y, x)
}

func (c *checker) onEarth(lat, lon float64) {
	if lat < -90 || lat > 90 || lon < -180 || lon > 180 {
		c.report(InvalidLiteral, nil,
			"the latitude must lie within -90 and 90, the longitude within -180 and 180; as an array the longitude comes first")
	}
}
