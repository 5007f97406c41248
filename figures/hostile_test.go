package figures_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed/figures"
)

// hostile are units that, repeated, make a reader look at the same text again and
// again if anything does.
var hostile = []string{
	"1", "1/", "1-", "1-1-", "1.", "1.1.", "1,", "1,1", "1 000 ", "1 1 ", "1:1:", "1'", "1_", "--", "-1", "-", "%", "1%", "%1", "€1", "1€", "€", "1e1", "1e", "e1",
	"1st ", "1 to ", "1 and ", "2026 and ", "1, ", "1. ", "\n1. ", "1.\n", "\n", "#1", "§ 1 ", "[1]", "(1)", "| 1 ", "1 million ", "1m", "m1", "A-1-", "a", "a1", "A1_",
	"2026-03-31T10:30:00Z ", "2026-03-31", "2026-03-31 10:30:00\n", "31.3.", "10:30", "1 pm ", "1 January ", "January 1 ", "on 1 ", "No. 1 ", "last 1 weeks ",
	"\"1\"", "\"", "\"1", "“1”", "`", "``", "`1", "://", "://1 ", "{", "}", "{}", "{r1.a}", "{r9.a}", "{sum a}", "{\"a\":", "½", "1½", "10^6", "²", "1 ", " 1",
	"١", "١٢ ", "१", "1\u200f", "\u200e1", "\u202b1", "\u200b1", "1\u200b000", "年1", "1年", "1万", "万", "тыс 1 ", "1 тыс ", "\xff1", "\xff", "1\x00",
	"(r1.a", "1/1 ", "1-1 ", "1--1", "1+1", "1*1", "0", "00 ", "000,", "1.000.", "1,000,", "1.000,", "1 000 000", "999 ", "Q1/", "v1.", "1;", "1|", "twenty-", "ein ",
}

// All of them are read in time that grows with their length: 64 KB take about twice as
// long as 32 KB, and not four times.
func TestHostileTextsAreLinear(t *testing.T) {
	rows := table(t, "a,b", []any{1, "x"}, []any{2.5, "y"})
	do := func(text string) {
		var data figures.Set
		data.Add("", text)
		data.Missing("1 2.5 31", figures.CommaDecimal)
		out := figures.NewText(figures.Source{Tables: []figures.Table{{Rows: rows}}, Data: []any{"q"}}, nil)
		out.Write(text)
		out.Unknown()
		out.Close(context.Background())
	}
	for _, unit := range hostile {
		ratio := 4.0
		for try := 0; try < 4 && ratio > 3; try++ { // the machine may be busy
			ratio = 0
			if long := timeOf(do, unit, 64<<10); long > noise {
				ratio = float64(long) / float64(timeOf(do, unit, 32<<10))
			}
		}
		if ratio > 3 {
			t.Errorf("%q: 64 KB take %.1f times as long as 32 KB", unit, ratio)
		}
	}
}

// noise is a time so short that a ratio of it says nothing.
const noise = 50 * time.Millisecond

// timeOf returns how long do takes for a unit repeated to n bytes.
func timeOf(do func(string), unit string, n int) time.Duration {
	text := strings.Repeat(unit, n/len(unit))
	began := time.Now()
	do(text)
	return time.Since(began)
}

// A turn that ends while numbers are compared does not go on with it.
func TestCloseEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	data := &counted{}
	out := figures.NewText(figures.Source{Data: []any{data}}, nil)
	out.Write("It is 42.")
	if got := out.Close(ctx); got.Text != "It is 42." || got.Unproved != nil || data.read > 0 {
		t.Errorf("%+v, read %d times", got, data.read)
	}
}

// Data is read only while numbers are not found: an answer pays for no earlier message.
func TestDataIsReadWhenItIsNeeded(t *testing.T) {
	question, earlier := &counted{text: "more than 40"}, &counted{text: "1 2 3"}
	out := figures.NewText(figures.Source{Data: []any{question, earlier}}, nil)
	out.Write("It is more than 40, on 31 March 2026.")
	if got := out.Close(t.Context()); got.Unproved != nil || question.read != 1 || earlier.read != 0 {
		t.Errorf("%+v, read %d and %d times", got, question.read, earlier.read)
	}
}

// counted is data that counts how often it is read.
type counted struct {
	text string
	read int
}

func (c *counted) MarshalText() ([]byte, error) {
	c.read++
	return []byte(c.text), nil
}
