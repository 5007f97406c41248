package llm_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed/llm"
)

// texts are typical parts of requests, each with its number of tokens in real
// tokenizers: o200k and cl100k of OpenAI, Llama 3, Qwen 3, DeepSeek 3, Gemma 3.
var texts = []struct {
	name   string
	tokens [6]int
	text   string
}{
	{"English", [...]int{43, 43, 43, 43, 43, 43}, "How many employees work in the sales department, and what was the average salary per department over the last three years? Please show the result as a table, the highest first, and leave out whoever left before March."},
	{"German", [...]int{44, 56, 56, 54, 52, 42}, "Wie viele Mitarbeiter arbeiten im Vertrieb, und wie hoch war das durchschnittliche Gehalt je Abteilung in den letzten drei Jahren? Bitte zeige das Ergebnis als Tabelle; Arbeitsunfähigkeitsbescheinigungen zählen nicht."},
	{"French", [...]int{44, 52, 52, 49, 49, 45}, "Combien d'employés travaillent au service des ventes, et quel était le salaire moyen par service au cours des trois dernières années ? Affichez le résultat sous forme de tableau, du plus élevé au plus bas."},
	{"Czech", [...]int{62, 82, 55, 80, 66, 57}, "Kolik zaměstnanců pracuje v obchodním oddělení a jaký byl průměrný plat v jednotlivých odděleních za poslední tři roky? Zobrazte prosím výsledek jako tabulku, od nejvyššího po nejnižší."},
	{"Finnish", [...]int{50, 66, 66, 65, 61, 53}, "Kuinka monta työntekijää myyntiosastolla työskentelee, ja mikä oli keskipalkka kullakin osastolla viimeisten kolmen vuoden aikana? Näytä tulos taulukkona suurimmasta pienimpään."},
	{"Russian", [...]int{37, 66, 44, 47, 45, 35}, "Сколько сотрудников работает в отделе продаж и какой была средняя зарплата по отделам за последние три года? Покажите результат в виде таблицы, начиная с самой высокой."},
	{"Ukrainian", [...]int{48, 83, 44, 77, 60, 42}, "Скільки працівників працює у відділі продажів і якою була середня заробітна плата в кожному відділі за останні три роки? Покажіть результат у таблиці."},
	{"Greek", [...]int{60, 158, 65, 153, 82, 63}, "Πόσοι εργαζόμενοι δουλεύουν στο τμήμα πωλήσεων και ποιος ήταν ο μέσος μισθός κάθε τμήματος τα τελευταία τρία χρόνια; Δείξε το αποτέλεσμα σε πίνακα, από το μεγαλύτερο στο μικρότερο."},
	{"Arabic", [...]int{26, 78, 36, 36, 35, 30}, "كم عدد الموظفين الذين يعملون في قسم المبيعات؟ أريد أيضا معرفة متوسط الراتب لكل قسم خلال السنوات الثلاث الماضية."},
	{"Hindi", [...]int{28, 99, 54, 97, 54, 24}, "बिक्री विभाग में कितने कर्मचारी काम करते हैं और पिछले तीन वर्षों में प्रत्येक विभाग का औसत वेतन कितना रहा है?"},
	{"Chinese", [...]int{31, 45, 33, 27, 26, 29}, "销售部门有多少员工？过去三年各部门的平均工资是多少？请用表格显示结果，并按金额从高到低排序。"},
	{"traditional Chinese", [...]int{42, 65, 40, 31, 29, 30}, "銷售部門有多少員工？過去三年各部門的平均薪資是多少？請以表格顯示結果，並依金額由高到低排序。"},
	{"Japanese", [...]int{45, 70, 46, 44, 46, 37}, "営業部には何人の社員がいますか。また、過去三年間の各部署の平均給与はいくらですか。データベースのテーブルを見て、結果を表で示してください。"},
	{"Korean", [...]int{33, 64, 35, 41, 41, 32}, "영업부에는 직원이 몇 명 있으며 지난 3년 동안 각 부서의 평균 급여는 얼마였습니까? 결과를 표로 보여 주세요."},
	{"Hebrew", [...]int{34, 98, 98, 34, 46, 48}, "כמה עובדים יש במחלקת המכירות, ומה השכר הממוצע בכל מחלקה בשלוש השנים האחרונות? נא להציג את התוצאה בטבלה."},
	{"Thai", [...]int{37, 85, 39, 48, 33, 29}, "มีพนักงานกี่คนที่ทำงานในแผนกขาย และเงินเดือนเฉลี่ยของแต่ละแผนกในช่วงสามปีที่ผ่านมาเป็นเท่าไร"},
	{"Vietnamese", [...]int{34, 54, 29, 33, 47, 29}, "Có bao nhiêu nhân viên làm việc tại bộ phận bán hàng và mức lương trung bình của từng bộ phận trong ba năm qua là bao nhiêu?"},
	{"Armenian", [...]int{33, 216, 184, 116, 74, 68}, "Քանի՞ աշխատակից է աշխատում վաճառքի բաժնում և որքա՞ն է միջին աշխատավարձը յուրաքանչյուր բաժնում վերջին երեք տարիներին:"},
	{"capitals", [...]int{54, 85, 45, 58, 57, 48}, "ПОКАЖИТЕ РЕЗУЛЬТАТ В ТАБЛИЦЕ. ΔΕΙΞΕ ΤΟ ΑΠΟΤΕΛΕΣΜΑ ΣΕ ΠΙΝΑΚΑ. SHOW THE RESULT AS A TABLE."},
	{"typography", [...]int{47, 46, 46, 49, 48, 47}, "“Smart quotes” — and dashes – with an ellipsis… a £5 / €10 price, 20 °C, ½ cup, naïve café’s menu • item → 3 × 4 ≤ 12"},
	{"Go", [...]int{91, 91, 91, 93, 95, 113}, `func (t Table) Total(column string) (sum float64, err error) {
	i := slices.Index(t.names, column)
	if i < 0 {
		return 0, fmt.Errorf("there is no column %q", column)
	}
	for _, row := range t.Rows {
		if v, ok := row[i].(float64); ok {
			sum += v
		}
	}
	return sum, nil
}
`},
	{"SQL", [...]int{99, 99, 99, 104, 114, 126}, `SELECT d.department_name, COUNT(*) AS employees, ROUND(AVG(s.gross_salary), 2) AS average_salary
FROM secure_employee AS e
JOIN department AS d ON d.department_id = e.department_id
LEFT JOIN salary AS s ON s.employee_id = e.employee_id AND s.valid_from >= '2023-01-01'
WHERE e.left_at IS NULL
GROUP BY d.department_name
HAVING COUNT(*) > 5
ORDER BY average_salary DESC LIMIT 20`},
	{"DDL", [...]int{126, 123, 123, 125, 136, 132}, "CREATE TABLE `AUFTRAGSPOSITION` (\n  `AUFTRAG_ID` BIGINT UNSIGNED NOT NULL,\n  `POSITION_NR` INT NOT NULL,\n  `ARTIKEL_NR` VARCHAR(40) COLLATE utf8mb4_unicode_ci DEFAULT NULL,\n  `MENGE` DECIMAL(12,3) NOT NULL,\n  PRIMARY KEY (`AUFTRAG_ID`,`POSITION_NR`),\n  CONSTRAINT `fk_pos_auftrag` FOREIGN KEY (`AUFTRAG_ID`) REFERENCES `AUFTRAG` (`AUFTRAG_ID`)\n) ENGINE=InnoDB\n"},
	{"rows as JSON", [...]int{95, 96, 96, 126, 95, 130}, `[{"employee_id":482913,"name":"Anna Schmidt","salary":61250.75,"hired_at":"2019-04-01T00:00:00Z","active":true,"manager_id":null},{"employee_id":77,"name":"Nikos Papadakis","salary":48999.9,"hired_at":"2021-11-15T08:30:00Z","active":false,"manager_id":482913}]`},
	{"JSON Schema", [...]int{58, 55, 55, 55, 60, 58}, `{"type":"object","properties":{"sql":{"type":"string","description":"one SELECT statement"},"limit":{"type":"integer","description":"how many rows at most"},"columns":{"type":"array","items":{"type":"string"}}},"required":["sql"],"additionalProperties":false}`},
	{"Markdown", [...]int{55, 56, 54, 71, 54, 74}, `| region | orders | total |
|:-------|-------:|------:|
| Nord | 1203 | 48213.50 |
| Süd | 877 | 31990.05 |
| Kreta | 45 | 1204.99 |
`},
	{"digits", [...]int{34, 34, 34, 101, 34, 101}, "31415926535897932384626433832795028841971693993751058209749445923078164062862089986280348253421170679"},
	{"dates", [...]int{40, 40, 40, 61, 40, 61}, "2024-01-31 23:59:59, 2025-02-28 00:00:00, 2026-12-24 18:30:15"},
	{"UUID", [...]int{48, 48, 48, 66, 48, 67}, "f47ac10b-58cc-4372-a567-0e02b2c3d479 6ba7b810-9dad-11d1-80b4-00c04fd430c8"},
	{"base64", [...]int{66, 67, 67, 69, 68, 69}, "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg=="},
	{"emoji", [...]int{24, 32, 32, 26, 27, 21}, "Great work 🎉🚀! The report is done ✅ and sales went up 📈. Thanks ❤️👍🏽"},
	{"spaces", [...]int{5, 5, 5, 6, 5, 10}, "total" + strings.Repeat(" ", 200) + "42"},
	{"indentation", [...]int{31, 31, 31, 31, 31, 39}, `if x {
    if x {
        if x {
            if x {
                if x {
                    if x {
                        if x {
                            if x {
`},
	{"line breaks", [...]int{9, 9, 9, 9, 12, 12}, "a\n\n\nb\r\n\r\nc\n\n\n\n\n\n\n\nd\t\t\te"},
}

func TestEstimateTextTokens(t *testing.T) {
	for _, test := range texts {
		most := slices.Max(test.tokens[:])
		got := llm.EstimateTextTokens(test.text)
		if got < most {
			t.Errorf("%s: %d tokens, but there are up to %d", test.name, got, most)
		}
		if got > 2*most {
			t.Errorf("%s: %d tokens, but there are at most %d", test.name, got, most)
		}
	}
	if got := llm.EstimateTextTokens(""); got != 0 {
		t.Errorf("no text: %d tokens", got)
	}
}

// TestEstimateTokens compares the estimates with the tokens of the same requests in
// the chat template that needs the most: that of Llama 3.1 or Qwen 3.
func TestEstimateTokens(t *testing.T) {
	tools := []llm.Tool{
		{Name: "run_sql", Description: "Runs a statement and returns its rows.", InputSchema: json.RawMessage(`{"type": "object", "properties": ` +
			`{"sql": {"type": "string", "description": "one SELECT statement"}, ` +
			`"limit": {"type": "integer", "description": "how many rows at most"}, ` +
			`"columns": {"type": "array", "items": {"type": "string"}, "description": "the columns that are wanted, in order"}}, ` +
			`"required": ["sql"], "additionalProperties": false}`)},
		{Name: "tables", Description: "Lists the tables of the database.", InputSchema: json.RawMessage(`{"type": "object", "additionalProperties": false}`)},
		{Name: "describe_table", Description: "Describes the columns of a table.", InputSchema: json.RawMessage(`{"type": "object", ` +
			`"properties": {"name": {"type": "string"}}, "required": ["name"]}`)},
	}
	for _, test := range []struct {
		name string
		req  llm.Request
		most int
	}{
		{"a word", llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "hi"}}}, 12},
		{"a conversation", llm.Request{Messages: []llm.Message{
			{Role: llm.RoleSystem, Content: "You answer questions."},
			{Role: llm.RoleUser, Content: "How many?"},
			{Role: llm.RoleAssistant, Content: "Seven."},
			{Role: llm.RoleUser, Content: "And now?"},
		}}, 38},
		{"a tool", llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "hi"}}, Tools: tools[:1]}, 243},
		{"tools", llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "hi"}}, Tools: tools}, 382},
		{"many tools", llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "hi"}}, Tools: slices.Repeat(tools, 4)}, 1297},
		{"a tool's result", llm.Request{Messages: []llm.Message{
			{Role: llm.RoleUser, Content: "How many?"},
			{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{
				{ID: "call_1234567890", Name: "run_sql", Arguments: json.RawMessage(`{"sql": "SELECT count(*) FROM crew", "limit": 1}`)},
			}},
			{Role: llm.RoleTool, ToolCallID: "call_1234567890", Content: `{"rows":[[7]]}`},
		}, Tools: tools}, 392},
	} {
		if got := llm.EstimateTokens(&test.req); got < test.most || got > 2*test.most+300 {
			t.Errorf("%s: %d tokens, and there are up to %d", test.name, got, test.most)
		}
	}
}

// TestEstimateParts: every part of a request that is sent counts, and no other.
func TestEstimateParts(t *testing.T) {
	const text = `{"the": "text of this part"}`
	estimate := func(change func(*llm.Request)) int {
		req := &llm.Request{
			Messages: []llm.Message{{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{}}}},
			Tools:    []llm.Tool{{}},
			Format:   &llm.Format{},
		}
		change(req)
		return llm.EstimateTokens(req)
	}
	before := estimate(func(*llm.Request) {})
	for name, change := range map[string]func(*llm.Request){
		"content":     func(r *llm.Request) { r.Messages[0].Content = text },
		"answered":    func(r *llm.Request) { r.Messages[0].ToolCallID = text },
		"call id":     func(r *llm.Request) { r.Messages[0].ToolCalls[0].ID = text },
		"call name":   func(r *llm.Request) { r.Messages[0].ToolCalls[0].Name = text },
		"arguments":   func(r *llm.Request) { r.Messages[0].ToolCalls[0].Arguments = json.RawMessage(text) },
		"tool":        func(r *llm.Request) { r.Tools[0].Name = text },
		"description": func(r *llm.Request) { r.Tools[0].Description = text },
		"input":       func(r *llm.Request) { r.Tools[0].InputSchema = json.RawMessage(text) },
		"format":      func(r *llm.Request) { r.Format.Name = text },
		"schema":      func(r *llm.Request) { r.Format.Schema = json.RawMessage(text) },
	} {
		if got, want := estimate(change)-before, llm.EstimateTextTokens(text); got != want {
			t.Errorf("%s: it counts for %d tokens, not %d", name, got, want)
		}
	}
	for name, change := range map[string]func(*llm.Request){
		"name":  func(r *llm.Request) { r.Name = text },
		"reply": func(r *llm.Request) { r.MaxOutputTokens = 1000 },
		"no mode": func(r *llm.Request) {
			r.Format = &llm.Format{Name: text, Schema: json.RawMessage(text), Mode: llm.JSONMode}
		},
	} {
		if got := estimate(change); got != before {
			t.Errorf("%s: %d tokens, not %d", name, got, before)
		}
	}
	if more := estimate(func(r *llm.Request) { r.Messages = append(r.Messages, llm.Message{Role: llm.RoleUser}) }); more <= before {
		t.Error("an empty message counts for nothing")
	}
}

func TestEstimateAllocatesNothing(t *testing.T) {
	req := &llm.Request{
		Messages: []llm.Message{{Content: texts[0].text}, {ToolCalls: []llm.ToolCall{{Arguments: json.RawMessage(texts[7].text)}}}},
		Tools:    []llm.Tool{{InputSchema: json.RawMessage(texts[24].text)}},
	}
	if n := testing.AllocsPerRun(100, func() { llm.EstimateTokens(req) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzEstimateTextTokens(f *testing.F) {
	for _, test := range texts {
		f.Add(test.text)
	}
	for _, text := range []string{" ", "\n ", "é", "\xc3", "a\xc3", "\xe4\xbd", "\xff\xfe\xff", "\x00", "🎉\xf0\x9f"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := llm.EstimateTextTokens(text)
		if text != "" && got < 1 || got > 3*len(text) {
			t.Errorf("%d tokens for %d bytes", got, len(text))
		}
		empty := llm.EstimateTokens(&llm.Request{Tools: []llm.Tool{{}}})
		if raw := llm.EstimateTokens(&llm.Request{Tools: []llm.Tool{{InputSchema: json.RawMessage(text)}}}) - empty; raw != got {
			t.Errorf("%d tokens as a text, %d as JSON", got, raw)
		}
	})
}

func BenchmarkEstimateTextTokens(b *testing.B) {
	for _, test := range texts {
		switch test.name {
		case "English", "Greek", "Chinese", "SQL", "rows as JSON", "base64":
			text := strings.Repeat(test.text+"\n", 1+4096/len(test.text))
			b.Run(test.name, func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					llm.EstimateTextTokens(text)
				}
			})
		}
	}
}

func ExampleEstimateTokens() {
	short := &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "How many crews are there?"}}}
	long := &llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: strings.Repeat("How many crews are there? ", 1000)}}}
	for _, req := range []*llm.Request{short, long} {
		if llm.EstimateTokens(req) > 4000 {
			fmt.Println("too long for a small model")
		} else {
			fmt.Println("fits")
		}
	}
	// Output:
	// fits
	// too long for a small model
}
