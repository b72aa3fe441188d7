package otlp
import ("testing";"os";"fmt")
func TestDump(t *testing.T){
 raw,_:=os.ReadFile(recordings+"/"+os.Getenv("REC"))
 var b batch
 b.readProto(raw)
 for i:=range b.entries { e:=&b.entries[i]; fmt.Println("##",i,e.name, roleOf(e)); for _,a:=range e.attributes { v:=string(appendJSON(nil,a.GetValue())); fmt.Println("  ",a.GetKey(), v[:min(len(v),600)])}; for _,ev:=range e.events { fmt.Println("  EV",ev.GetName()); for _,a:=range ev.GetAttributes(){v:=string(appendJSON(nil,a.GetValue())); fmt.Println("      ",a.GetKey(), v[:min(len(v),400)])}}; if e.body!=nil {fmt.Println("  BODY",string(appendJSON(nil,e.body)))}}
}
