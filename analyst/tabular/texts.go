package tabular

import (
	"strconv"

	"github.com/qedkit/qed/internal/usertext"
)

// texts are the messages of warnings, and the names of types in them. All know {column}, {line}
// and {n} of the warning.
type texts struct {
	List, CutOff, NotNumbers, Quotes, Above, NoHeader, TwoLines, Units, NumberNames, Repeated, Ragged, TotalsLeftOut, Totals, Named, Omitted, Separator, UTF16, Dropped, Encoding, GuessedEncoding, Formulas, SeveralUnits, Codes, Telephones, Marked, Groups, DecimalSign, Precise, SomeZones, Alike, AlikeUTC, ShortYears, Orders, Months, Mixed, MixedAt, Amounts, Signs, Written, Placeholders, Integers, Decimals, Booleans, Dates, Times, OtherSheets, HiddenSheet, HiddenRows, HiddenColumns, Merged, Uncomputed, Errors, Clocks string
}

var textTable = usertext.Of[texts]("tabular")

// message fills the text of a warning.
func (w Warning) message(text string, values ...string) Warning {
	values = append(values, "column", w.Column, "line", strconv.Itoa(w.Line), "n", strconv.Itoa(w.Count))
	w.Message = usertext.Fill(text, values...)
	return w
}

// kinds returns the name of the values of a type.
func (t *texts) kinds(of Type) string {
	switch of {
	case Integer:
		return t.Integers
	case Boolean:
		return t.Booleans
	case Date:
		return t.Dates
	case Time:
		return t.Times
	}
	return t.Decimals
}
