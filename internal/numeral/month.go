package numeral

import "strings"

// Months has the numbers of the months, from 1 on, by their names in lower case, in languages
// other than English and German, as dates are written in them.
var Months = func() map[string]int {
	all := map[string]int{}
	for _, names := range []string{
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
	} {
		for i, name := range strings.Fields(names) {
			all[name] = i + 1
		}
	}
	return all
}()
