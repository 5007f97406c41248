package sqlast_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/refusal"
)

func TestCheckText(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		code       refusal.Code // empty: accepted
		pos        int
	}{
		{"empty", "", "", 0},
		{"longest", strings.Repeat("x", sqlast.MaxText), "", 0},
		{"too long", strings.Repeat("x", sqlast.MaxText+1), sqlast.TooLarge, -1},
		{"unicode", "SELECT 'ſ 日本 \ufffd 🎉'", "", 0},
		{"half a rune", "SELECT '\ufffd日\xe6'", sqlast.InvalidText, 14},
		{"surrogate", "\xed\xa0\x80", sqlast.InvalidText, 0},
		{"NUL", "SELECT 1\x00", sqlast.InvalidText, 8},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := sqlast.CheckText(tt.text)
			if tt.code == "" {
				if err != nil {
					t.Errorf("CheckText: %v; want it accepted", err)
				}
				return
			}
			var e *sqlast.Error
			if !errors.As(err, &e) || e.Code != tt.code || int(e.Pos) != tt.pos {
				t.Errorf("CheckText: %v; want %s at %d", err, tt.code, tt.pos)
			}
		})
	}
}
