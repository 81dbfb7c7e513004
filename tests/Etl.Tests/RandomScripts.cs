using System.Globalization;
using System.Text;

namespace Jackdaw.Etl.Tests;

/// <summary>A script that does what its document says, good and bad, and documents that say so.</summary>
internal sealed class RandomScripts(Random random, bool mayLoop)
{
    /// <summary>Common ones; each document has a few.</summary>
    private static readonly Dictionary<string, string> s_plain = new()
    {
        ["whole"] = "loadToOut(this);",
        ["some"] = "loadToOut({ id: id(), n: this.n });",
        ["named"] = "loadTo('other-' + this.n % 3, { n: this.n, odd: this.odd });",
        ["list"] = "loadToList([this.n, this.text]);",
        ["attributes"] = "loadToOut({ n: this.n }, { PartitionKey: 'k' + this.n, Subject: 'Ä€😀', time: '2020-02-03T04:05:06Z' });",
        ["no attributes"] = "loadToOut({}, {}); loadToOut([], { toJSON() { return undefined; } }); loadToOut({}, null);",
        ["key"] = "loadToOut({ n: 1 }, 'key.' + this.n); loadTo('x', {}, 'k', { Id: 'mine ' + this.n });",
        ["targets like marks"] =
            "loadTo('.', {}); loadTo('!', {}); loadTo('\"', [1]); loadTo('=a', {}); loadTo(':a', {}); loadTo('0', {});",
        ["many"] = "for (let i = 0; i < 30; i++) loadToOut({ i });",
        ["load"] =
            "const other = load('orders/' + (this.n + 1)); loadToOut({ n: other && "
            + "other.n, id: other && id(other), its: other && getMetadata(other)['@id'] });",
        ["loads"] = "loadToOut({ all: load(['orders/1', 'nobody/1', 'orders/' + this.n, null]).map(one => one && one.n) });",
        ["metadata"] = "loadToOut({ of: getMetadata(this)['@change-vector'], own: this['@metadata']['@id'] });",
        ["sets metadata"] = "this['@metadata'] = { a: this.n }; loadToOut({ m: getMetadata(this), ...this });",
        ["unsets metadata"] =
            "this['@metadata'] = undefined; loadToOut({ m: getMetadata(this)['@id'] }); const o = "
            + "load('orders/1'); if (o) { o['@metadata'] = undefined; loadToOut({ o: getMetadata(o)['@id'] }); }",
        ["numbers"] =
            "loadToOut({ same: this.big === this.again, sum: this.big + 1, "
            + "big: this.big, type: typeof this.big, n: 12345678901234567890n });",
        ["stash"] =
            "const seen = this.big && this.big.toJSON && this.big.toJSON.leak; try { this.big.toJSON.leak "
            + "= this.n; } catch { } loadToOut({ seen: seen === undefined ? 'no' : seen });",
        ["proto"] = "loadToOut({ keys: Object.keys(this.odd), own: this.odd['__proto__'], copy: { ...this.odd } });",
        ["raw"] = "loadToOut({ r: JSON.rawJSON('\"a b\"'), n: JSON.rawJSON('1e400'), half: JSON.rawJSON('\"\\ud800\"') });",
        ["nested send"] = "loadToOut({ toJSON() { loadToList({ inner: 1 }); return { outer: 1 }; } });",
        ["deep"] = "loadToOut({ deep: this.deep });",
        ["returns"] = "return () => 1;",
        ["text caught"] = "try { loadToOut('text'); } catch (e) { loadToOut({ e: e.message }); }",
        ["recursion caught"] = "function g() { return g() + 1; } try { g(); } catch (e) { loadToOut({ e: e.name }); }",
    };

    /// <summary>What makes a document fail, or would if it were not caught.</summary>
    private static readonly Dictionary<string, string> s_bad = new()
    {
        ["throws"] = "loadToOut({ lost: true }); throw new Error('no ' + this.n);",
        ["throws deep"] = "function a(n) {\n  if (n === 0)\n    null.x;\n  return a(n - 1);\n}\na(this.n % 5);",
        ["throws value"] = "throw { n: this.n };",
        ["throws text"] = "throw 'half \\ud800';",
        ["undeclared"] = "undeclared = 1;",
        ["stranger"] = "id({});",
        ["bad attribute"] = "loadToOut({}, { Colour: 'red' });",
        ["bad attribute caught"] = "try { loadToOut({}, { Colour: 'red' }); } catch (e) { loadToOut({ e: e.message }); }",
        ["odd attributes"] = "loadToOut({}, { toJSON() { return 5; } });",
        ["half attribute"] = "try { loadToOut({}, { Subject: '\\ud800' }); } catch (e) { loadToOut({ e: e.message }); }",
        ["line in key"] = "try { loadToOut({}, 'a\\nb'); } catch (e) { loadToOut({ e: e.message }); }",
        ["half in key"] = "loadToOut({}, 'a\\ud800');",
        ["line in target"] = "loadTo('a\\nb', {});",
        ["half target"] = "try { loadTo('\\udc00', {}); } catch (e) { loadToOut({ e: e.message }); }",
        ["long target"] = "loadTo('x'.repeat(600), {});",
        ["no target"] = "loadTo('', {}); loadTo({}, {});",
        ["text"] = "loadToOut('text');",
        ["function"] = "loadToOut(() => 1);",
        ["to text"] = "loadToOut({ toJSON() { return 'text'; } });",
        ["getter"] = "loadToOut({ get x() { throw new TypeError('got'); } });",
        ["too many"] = "for (let i = 0; i < 1001; i++) loadToOut({ i });",
        ["too many caught"] = "for (let i = 0; i < 1100; i++) try { loadToOut({ i }); } catch { }",
        ["large"] = "loadToOut({ text: 'x'.repeat(400000 + this.n) });",
        ["recursion"] = "function f() { return f() + 1; } f();",
        ["replaces"] = "loadToOut = () => { throw new Error('replaced ' + this.n); };",
    };

    private const string Loops = "loops";

    private bool _hasLooped;

    public string Script()
    {
        var script = new StringBuilder();
        if (random.Next(3) == 0)
            script.AppendLine("loadToAll(this);");
        if (random.Next(4) == 0)
            script.AppendLine("if (this.n % 7 === 0) throw new RangeError('every seventh');");
        script.AppendLine("for (const act of this.acts) switch (act) {");
        var cases = s_plain.Concat(s_bad).Append(new(Loops, "loadToOut({ lost: 1 }); while (true) { }")).ToArray();
        random.Shuffle(cases);
        foreach (var (name, code) in cases)
            script.Append("  case '").Append(name).Append("': { ").Append(code).AppendLine(" break; }");
        script.AppendLine("}");
        if (random.Next(3) == 0)
            script.AppendLine("loadToEnd({ n: this.n, seen: typeof leak });");
        if (random.Next(2) == 0)
            script.AppendLine(
                "function deleted(id, collection) { if (id.endsWith('3')) throw new Error('gone ' + id); loadToGone({ id, collection }); }"
            );
        return script.ToString();
    }

    public string Document(int number)
    {
        var acts = new List<string>();
        int count = random.Next(4);
        for (int i = 0; i < count; i++)
            acts.Add(s_plain.Keys.ElementAt(random.Next(s_plain.Count)));
        if (random.Next(6) == 0)
            acts.Add(s_bad.Keys.ElementAt(random.Next(s_bad.Count)));
        if (mayLoop && !_hasLooped && number > 30)
        {
            _hasLooped = true;
            acts.Add(Loops);
        }
        string list = string.Join(',', acts.Select(act => $"\"{act}\""));
        int depth = random.Next(20) == 0 ? 200 : random.Next(4);
        string deep = new string('[', depth) + "1" + new string(']', depth);
        string big = random.Next(3) switch
        {
            0 => "9007199254740993",
            1 => "123456789012345678901234567890.125",
            _ => "7",
        };
        string text = random.Next(4) switch
        {
            0 => "Ä€😀",
            1 => "\\ud800 \\n \\u0001",
            2 => new string('y', random.Next(3000)),
            _ => "plain",
        };
        return string.Create(
            CultureInfo.InvariantCulture,
            $$"""{"n":{{number}},"acts":[{{list}}],"text":"{{text}}","big":{{big}},"again":{{big}},"odd":{"__proto__":{"x":1},"10":1,"2":12.7500,"constructor":"c","":1E5,"toJSON":3},"deep":{{deep}}}"""
        );
    }
}
