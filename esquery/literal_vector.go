package esquery

import (
	"encoding/hex"
	"math"
)

// vector notes where v is no vector that can be compared with those of the field.
func (c *checker) vector(f *Field, v *value) {
	if v.kind == str && f.Type == "dense_vector" && (f.element == "byte" || f.element == "bit") {
		c.hexVector(f, v.text)
		return
	}
	if v.kind != array {
		c.report(InvalidLiteral, nil, "a vector must be an array of numbers, and is %s", v.kind)
		return
	}
	if dims := f.length(); dims > 0 && len(v.items) != dims {
		c.report(InvalidLiteral, nil, "%s has vectors of %d numbers, and this one has %d", quoted(f.Path), dims, len(v.items))
		return
	}
	zero := true
	for i := range v.items {
		n, err := parseNumber(&v.items[i], true)
		if !err || v.items[i].kind != number || math.Abs(n) > math.MaxFloat32 {
			c.at(i)
			c.report(InvalidLiteral, nil, "a vector has numbers only, each no larger than a float")
			c.out()
			return
		}
		if f.element != "float" && (n != math.Trunc(n) || n < math.MinInt8 || n > math.MaxInt8) {
			c.at(i)
			c.report(InvalidLiteral, nil, "%s has vectors of bytes: whole numbers within -128 and 127", quoted(f.Path))
			c.out()
			return
		}
		zero = zero && n == 0
	}
	if zero && f.similarity == "cosine" {
		c.report(InvalidLiteral, nil, "a vector of zeros has no direction, which the similarity cosine of %s needs", quoted(f.Path))
	}
}

// length is how many numbers a vector of the field is written with; 0: not known.
func (f *Field) length() int {
	if f.element == "bit" {
		return f.Dims / 8
	}
	return f.Dims
}

func (c *checker) hexVector(f *Field, text string) {
	bytes, err := hex.DecodeString(text)
	if err != nil || f.Dims > 0 && len(bytes) != f.length() {
		c.report(InvalidLiteral, nil, "%s needs a vector of %d bytes, in hexadecimal or as an array", quoted(f.Path), f.length())
	}
}
