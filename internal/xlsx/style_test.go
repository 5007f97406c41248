package xlsx

import "testing"

// A format says what a number is. Letters that stand for themselves do not make it a date.
func TestStyles(t *testing.T) {
	for code, want := range map[string]style{
		"General": {}, "": {}, "@": {}, "0.00E+00": {}, "#,##0": {}, "[Red]-0;0": {}, `0" d"`: {unit: "d"}, "0 d": {}, "Standard": {}, `# ?/?`: {}, `[>100]0`: {}, "0_d": {}, "0*s": {}, `0\m`: {},
		"yyyy-mm-dd": {kind: dated}, "d.m.yy": {kind: dated}, "mmm-yy": {kind: dated}, "MMMM": {kind: dated}, "m/d/yy h:mm": {kind: dated}, "dd/mm/yyyy;@": {kind: dated},
		`[$-F800]dddd\,\ mmmm\ dd\,\ yyyy`: {kind: dated}, `yyyy"年"m"月"d"日"`: {kind: dated}, `[$-409]m/d/yy h:mm AM/PM;@`: {kind: dated}, `[$-411]ge.m.d`: {kind: dated},
		"h:mm": {kind: clock}, "h:mm AM/PM": {kind: clock}, "mm:ss.0": {kind: clock}, "[h]:mm:ss": {kind: elapsed}, "[mm]:ss": {kind: elapsed}, "[ss].00": {kind: elapsed},
		"0%": {kind: percents, unit: "%"}, "0.0 %;[Red]-0.0 %": {kind: percents, unit: "%"}, `0"%"`: {unit: "%"},
		`#,##0.00\ "€"`: {unit: "€"}, `_-* #,##0.00\ "€"_-;-* #,##0.00\ "€"_-`: {unit: "€"}, `[$€-407]\ #,##0`: {unit: "€"}, `"$"#,##0_);[Red]\("$"#,##0\)`: {unit: "$"},
		`#,##0\ [$kr.-406]`: {unit: "kr."}, `[$CHF]\ 0`: {unit: "CHF"}, "£0": {unit: "£"}, `[$-409]0`: {},
	} {
		if got := styleOf(code); got != want {
			t.Errorf("%s: %+v, want %+v", code, got, want)
		}
	}
}

// Days are those that Excel shows, also in the system of 1904.
func TestMoments(t *testing.T) {
	for _, test := range []struct {
		serial   float64
		kind     styleKind
		date1904 bool
		want     string
	}{
		{1, dated, false, "1900-01-01"}, {59, dated, false, "1900-02-28"}, {60, dated, false, ""}, {61, dated, false, "1900-03-01"}, {46085, dated, false, "2026-03-04"},
		{46085.999999999, dated, false, "2026-03-05"}, {46085.25, clock, false, "2026-03-04 06:00:00"}, {2958465, dated, false, "9999-12-31"}, {2958466, dated, false, ""}, {-1, dated, false, ""},
		{0, dated, true, "1904-01-01"}, {44623, dated, true, "2026-03-04"}, {2957004, dated, true, ""},
		{0.75, clock, false, "18:00:00"}, {0.5, dated, false, "12:00:00"}, {1.5, elapsed, false, "36:00:00"}, {0.0000115741, elapsed, false, "00:00:01"},
	} {
		w := &Workbook{date1904: test.date1904}
		if got, _, ok := w.moment(test.serial, test.kind); got != test.want || ok != (test.want != "") {
			t.Errorf("%v: %q, %v, want %q", test, got, ok, test.want)
		}
	}
}

func TestUnescape(t *testing.T) {
	for in, want := range map[string]string{
		"a_x000D_\nb": "a\nb", "_x005F_x000D_": "_x000D_", "a_x": "a_x", "_x12": "_x12", "_x0001_b": "b", "_xZZZZ_": "_xZZZZ_", "x\r\ny\rz": "x\ny\nz", "_x00e4_": "ä", "_x+041_": "_x+041_",
	} {
		if got := unescape([]byte(in)); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
