package tabular_test

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/text/encoding/htmlindex"

	"github.com/qedkit/qed/analyst/tabular"
)

// A text is read in its encoding, or refused; never in another without a word.
func TestEncodings(t *testing.T) {
	for _, test := range []struct {
		encoding, text string
		refused        bool
	}{
		{"windows-1252", "name,stadt\nMüller,Köln\nGroß,Düsseldorf\n„Büro“,12 €\n", false},
		{"windows-1252", "id,name\n1,Müller\n", false},
		{"windows-1252", "nom,ville\nÉlodie,Orléans\nFrançois,Besançon\nGaël,Nîmes\n", false},
		{"windows-1250", "imię,miasto\nŁukasz,Łódź\nZażółć,Gdańsk\nJerzy,Kraków\n", false},
		{"macintosh", "name,stadt\nMüller,Köln\nGroß,Düsseldorf\nJäger,München\n", false},
		{"macintosh", "Name,Stadt\nMüller,Köln\nGroß,Zürich\n", false},
		{"macintosh", "nom,ville\nÉlodie,Orléans\nFrançois,Besançon\nGaël,Nîmes\n", false},
		{"windows-1251", "имя,город\nИван,Москва\nОльга,Казань\nПётр,Новосибирск\n", false},
		{"koi8-r", "имя,город\nИван,Москва\nОльга,Казань\nПётр,Новосибирск\n", false},
		{"ibm866", "имя,город\nИван,Москва\nОльга,Казань\nПётр,Новосибирск\n", false},
		{"shift_jis", "名前,都市\n田中さん,東京\n鈴木さん,大阪\nサトウ,名古屋の町\n", false},
		{"shift_jis", "名前,都市\n田中,東京\n鈴木,大阪\n佐藤,名古屋\n", true},
		{"gbk", "姓名,城市\n王伟,北京\n李娜,上海\n张敏,广州\n", false},
		{"big5", "姓名,城市\n王偉,臺北\n李娜,高雄\n張敏,臺中\n", false},
		{"euc-kr", "이름,도시\n김민수,서울\n이영희,부산\n", true},
	} {
		e, err := htmlindex.Get(test.encoding)
		if err != nil {
			t.Fatal(err)
		}
		foreign, err := e.NewEncoder().String(test.text)
		if err != nil {
			t.Fatal(err)
		}
		for _, chosen := range []string{"", test.encoding} {
			d, err := load(t, foreign, &tabular.Options{Encoding: chosen})
			if chosen == "" && test.refused {
				if !errors.Is(err, tabular.ErrFormat) {
					t.Errorf("%s: %v, want an error", test.encoding, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			for _, row := range d.rows {
				var cells []string
				for _, c := range row {
					if s, ok := c.(string); ok {
						cells = append(cells, s)
					}
				}
				lines = append(lines, strings.Join(cells, ","))
			}
			for _, line := range lines {
				if line != "" && !strings.Contains(test.text, line) {
					t.Errorf("%s, chosen %q: %q is not in %q: %v", test.encoding, chosen, line, test.text, d.Warnings)
				}
			}
		}
	}
	if _, err := load(t, "a\n1\n", &tabular.Options{Encoding: "latin-99"}); !errors.Is(err, tabular.ErrArgument) {
		t.Errorf("an unknown encoding: %v", err)
	}
}
