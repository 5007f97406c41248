package chart

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// numberLike reports whether a browser reads the values as numbers.
func numberLike(c *column) bool {
	return c.numeric() || all(c, func(s string) bool { _, err := strconv.ParseFloat(s, 64); return err == nil })
}

// dateLike reports whether a browser reads the values as dates. Small numbers are years to
// those who write them, and milliseconds of 1970 to a browser.
func dateLike(c *column) bool {
	switch c.typ {
	case temporal:
		return true
	case quantitative, ordinal:
		for _, cell := range c.cells {
			if f, ok := cell.(float64); ok && math.Abs(f) < 1e8 && f != 0 {
				return false
			}
		}
		return true
	}
	return all(c, func(s string) bool {
		if _, ok := readTime(s); ok {
			return true
		}
		for _, layout := range looseDates {
			if _, err := time.Parse(layout, strings.TrimSpace(s)); err == nil {
				return true
			}
		}
		return false
	})
}

// looseDates are further forms that browsers read.
var looseDates = []string{"2006", "Jan 2 2006", "Jan 2, 2006", "January 2, 2006", "2 Jan 2006", "1/2/2006", "1/2/06", "2006/1/2", "2006-1-2",

	"2006/01/02 15:04", "2006/01/02 15:04:05", "1/2/2006 15:04", "1/2/2006 15:04:05", time.RFC1123, time.RFC1123Z, time.ANSIC}

func all(c *column, is func(string) bool) bool {
	some := false
	for _, cell := range c.cells {
		switch s := cell.(type) {
		case nil:
		case string:
			if !is(s) {
				return false
			}
			some = true
		default:
			return false
		}
	}
	return some
}
