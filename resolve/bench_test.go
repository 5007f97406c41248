package resolve_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/qedkit/qed/resolve"
)

// many returns n entities with names of two to five words. Some words are in most
// names.
func many(n int) []resolve.Entity {
	r := rand.New(rand.NewPCG(1, 2))
	syllables := strings.Fields("an ber cor dal el fer gor han in jar kol lum mar nor ost pel quin ros sal tor ul ven wil xan yor zel bra cle dri flo gru")
	word := func() string {
		var b strings.Builder
		for range 2 + r.IntN(3) {
			b.WriteString(syllables[r.IntN(len(syllables))])
		}
		return b.String()
	}
	common := []string{"Port of", "Terminal", "Shipping", "Container", "International", "Logistics", "Services"}
	list := make([]resolve.Entity, n)
	for i := range list {
		words := []string{word()}
		for range r.IntN(3) {
			words = append(words, word())
		}
		for range 1 + r.IntN(2) {
			words = append(words, common[r.IntN(len(common))])
		}
		r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		list[i] = resolve.Entity{Kind: "place", ID: fmt.Sprint(i), Name: strings.Join(words, " ")}
	}
	return list
}

func BenchmarkResolve(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		list := many(n)
		c, err := resolve.NewCatalog(list, nil)
		if err != nil {
			b.Fatal(err)
		}
		typo := []rune(list[n/2].Name)
		typo[2], typo[3] = typo[3], typo[2]
		for _, tt := range []struct{ name, term string }{
			{"exact", list[n/3].Name},
			{"typo", string(typo)},
			{"words", "Terminal International Logistics"},
			{"one", strings.Fields(list[n/4].Name)[0]},
			{"nothing", "qwertz yxcvb mnopq"},
		} {
			b.Run(fmt.Sprintf("%d/%s", n, tt.name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := c.Resolve(b.Context(), tt.term, ""); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkNewCatalog(b *testing.B) {
	list := many(100_000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := resolve.NewCatalog(list, nil); err != nil {
			b.Fatal(err)
		}
	}
}
