package numeral

import (
	"cmp"
	"strings"
)

// Months and OtherMonths have the numbers of the months, from 1 on, by their names in lower
// case: in English and German, and in other languages as dates are written in them.
var (
	Months = monthsOf(
		"january february march april may june july august september october november december",
		"januar februar märz april mai juni juli august september oktober november dezember",
		"jan feb mar apr may jun jul aug sep oct nov dec", "jänner feber mär apr mai jun jul aug sept okt nov dez",
		"jan feb mrz apr", "jan feb maerz apr")
	OtherMonths = monthsOf(
		"enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
		"janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
		"gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
		"janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
		"januari februari maart april mei juni juli augustus september oktober november december",
		"januar februar marts april maj juni juli august september oktober november december",
		"januari februari mars april maj juni juli augusti september oktober november december",
		"stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
		"ledna února března dubna května června července srpna září října listopadu prosince",
		"ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık",
		"января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
		"janv févr mars avr mai juin juil aout septembre octobre novembre déc", "janvier fév", "janvier fevrier",
		"ene febrero marzo abr mayo junio julio agosto septiembre octubre noviembre dic",
		"janvier février mars avril mai juin juillet août septembre octobre novembre decembre")
)

func monthsOf(lists ...string) map[string]int {
	all := map[string]int{}
	for _, names := range lists {
		for i, name := range strings.Fields(names) {
			all[name] = i + 1
		}
	}
	return all
}

// Month returns the number of the month with a name in lower case, and 0 if there is none.
func Month(name string) int { return cmp.Or(Months[name], OtherMonths[name]) }
