package answertext

import (
	"testing"

	"github.com/qedkit/qed/dates"
)

func TestDatesLine(t *testing.T) {
	const (
		used      = "Dates: {dates}."
		differ    = "The dates may be wrong. Expected: {dates}; the query reads {found}."
		unchecked = "Dates: {dates}. Whether the query reads exactly these was not checked."
	)
	month := dates.Period{Words: "last month", From: "2026-02-01", Before: "2026-03-01"}
	march := dates.Period{Words: "March 2025", From: "2025-03-01", Before: "2025-04-01"}
	winter := dates.Period{Words: "winter 2025", From: "2025-12-01", Before: "2026-03-01"}
	reading := func(p dates.Period, by dates.Source, v dates.Verdict, found ...string) dates.Reading {
		return dates.Reading{Period: p, By: by, Verdict: v, Found: found}
	}
	for _, test := range []struct {
		name     string
		readings []dates.Reading
		want     string
		differs  bool
	}{
		{"none", nil, "", false},
		{"proved", []dates.Reading{reading(month, dates.ByModel, dates.Proved)}, `Dates: "last month" = 2026-02-01 - 2026-02-28.`, false},
		{"proved by the words", []dates.Reading{reading(month, dates.ByWords, dates.Proved)}, `Dates: "last month" = 2026-02-01 - 2026-02-28.`, false},
		{"the words say it", []dates.Reading{reading(march, dates.ByModel, dates.Proved)}, "", false},
		{"the words say a part of it", []dates.Reading{reading(winter, dates.ByModel, dates.Proved)}, `Dates: "winter 2025" = 2025-12-01 - 2026-02-28.`, false},
		{"not checked", []dates.Reading{reading(month, dates.ByModel, dates.NotChecked)},
			`Dates: "last month" = 2026-02-01 - 2026-02-28. Whether the query reads exactly these was not checked.`, false},
		{"words that were not checked", []dates.Reading{reading(month, dates.ByWords, dates.NotChecked)}, "", false},
		{"contradicted", []dates.Reading{reading(march, dates.ByWords, dates.Contradicted, "2024-03-01 - 2024-03-31")},
			`The dates may be wrong. Expected: "March 2025" = 2025-03-01 - 2025-03-31; the query reads 2024-03-01 - 2024-03-31.`, true},
		{"both", []dates.Reading{reading(winter, dates.ByModel, dates.Proved), reading(month, dates.ByWords, dates.Contradicted, "2025-12-01 - 2026-02-28")},
			"Dates: \"winter 2025\" = 2025-12-01 - 2026-02-28.\n" +
				`The dates may be wrong. Expected: "last month" = 2026-02-01 - 2026-02-28; the query reads 2025-12-01 - 2026-02-28.`, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := Dates(test.readings, used, differ, unchecked)
			if got.Text != test.want || got.Differs != test.differs {
				t.Errorf("differs %v: %q, want %q", got.Differs, got.Text, test.want)
			}
		})
	}
	if got := Dates([]dates.Reading{reading(month, dates.ByModel, dates.Proved)}, "", differ, ""); got.Text != "" {
		t.Error(got)
	}
}
