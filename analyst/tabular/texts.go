package tabular

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/usertext"
)

// texts are the messages of warnings and errors, and the names of types in them. Those of
// warnings know {column}, {line} and {n}.
type texts struct {
	List, CutOff, NotNumbers, Quotes, Above, NoHeader, TwoLines, Units, NumberNames, Repeated, Rules, Ragged, TotalsLeftOut, Totals, Named, Omitted, Separator, UTF16, Dropped, Encoding, GuessedEncoding, Formulas, SeveralUnits, Codes, Versions, Telephones, Marked, Groups, DecimalSign, Precise, SomeZones, Alike, AlikeUTC, ShortYears, CompactDates, Orders, Months, Mixed, MixedAt, Amounts, Signs, Written, Placeholders, Integers, Decimals, Booleans, Dates, Times, OtherSheets, HiddenSheet, HiddenRows, HiddenColumns, Merged, Uncomputed, Errors, Clocks, Decides string

	// of errors
	TooManyBytes, NotRegular, NotOpened, NoObjects, ListsAlone, Unreadable, BrokenGzip, OldExcel, Foreign, NoWorkbook, ExcelTooLarge, ExcelBroken, NoSheet, NoCells, UnclearEncoding, Empty, TooManyRows, TooManyColumns, LongCell, LongRecord, LongName, BrokenQuotes, LongRow, DecimalCommas, LinesAbove, BrokenObject, KeyTwice, Argument, AtLine, OrSet string
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

// say fills the texts of an error: in English, and in the language of the options.
func (o *Options) say(ctx context.Context, err error) error {
	own, ok := errors.AsType[*Error](err)
	if !ok || own.text == nil {
		return err
	}
	language := ""
	if o != nil {
		language = o.Language
	}
	fill := func(text string) string { return usertext.Fill(text, slices.Clone(own.values)...) }
	own.Message = cmp.Or(own.Message, fill(own.text(textTable.In(context.Background(), usertext.English))))
	t := textTable.In(ctx, language)
	own.User = fill(own.text(t))
	if own.Line > 0 {
		own.User = usertext.Fill(t.AtLine, "line", strconv.Itoa(own.Line), "message", own.User)
	}
	if own.Option != "" && !strings.HasPrefix(own.Option, "Max") { // limits are the host's
		own.User = usertext.Fill(t.OrSet, "message", own.User, "option", strings.ToLower(own.Option))
	}
	return err
}
