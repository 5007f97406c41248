package chattest

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Says reports whether an answer in English contains the value of a cell, as it is
// or as a date or an amount is written in a sentence.
func Says(answer, cell string) bool {
	forms := []string{cell}
	if on, err := time.Parse(time.DateOnly, cell); err == nil {
		forms = append(forms, on.Format("2 January 2006"))
	}
	if on, err := time.Parse("2006-01", cell); err == nil {
		forms = append(forms, on.Format("January"))
	}
	if amount, err := strconv.ParseFloat(cell, 64); err == nil && amount >= 1000 {
		whole, cents, _ := strings.Cut(strconv.FormatFloat(amount, 'f', 2, 64), ".")
		forms = append(forms, whole[:len(whole)-3]+","+whole[len(whole)-3:]+"."+cents)
	}
	return slices.ContainsFunc(forms, func(form string) bool { return strings.Contains(answer, form) })
}
