using System.Buffers;
using System.Globalization;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using Jackdaw.Indexing.Rql.Syntax;

namespace Jackdaw.Indexing.Queries;

/// <summary>Projections in JavaScript: object literals, declared functions, and fields of loaded documents.</summary>
public sealed partial class QueryPlanner
{
    /// <summary>The document in a script of a query that gives it no name.</summary>
    private const string NamelessDocument = "__doc";

    private string DocumentName => _scope.Alias ?? NamelessDocument;

    /// <summary>The projection needs JavaScript.</summary>
    private bool NeedsScript(RqlSelect select) =>
        _query.Load.Count > 0 || select.Items.Any(item => item.Expression is RqlObject || IsDeclared(item.Expression));

    private bool IsDeclared(RqlExpression expression) =>
        expression is RqlMethodCall { Path.Count: 0 } call && _query.Declarations.Any(declared => declared.Name == call.Name);

    private QueryException RefusedInSelect(RqlMethodCall call) =>
        RqlMethods.Refusal(call, RqlMethodPlace.Select, [.. _query.Declarations.Select(declared => declared.Name)]);

    private ScriptPlan Script(RqlSelect select)
    {
        var source = _text.Select(c => c is '\n' or '\r' ? c : ' ').ToArray();
        foreach (var function in _query.Declarations.OfType<RqlFunctionDeclaration>())
            CopyFunction(function, source);
        string ending = "";
        if (select.Items is [{ Expression: RqlObject literal }])
        {
            int at = OffsetOf(_text, literal.At);
            literal.Script.Text.CopyTo(0, source, at, literal.Script.Text.Length);
            (ScriptPlan.Result + "=").CopyTo(0, source, _text.LastIndexOf("select", at, StringComparison.OrdinalIgnoreCase), 4);
        }
        else
        {
            bool isWhole = select.Items is [{ Alias: null } only] && IsDeclared(only.Expression);
            ending = $"\n;{ScriptPlan.Result}={(isWhole ? JavaScript(select.Items[0].Expression) : Object(select))}";
        }
        var text = new string(source) + ending + $"\n;return {ScriptPlan.Result};";
        var parameters = new List<string> { ScriptPlan.Result, DocumentName };
        parameters.AddRange(_query.Load.Select(load => load.Alias));
        var arguments = Arguments(text, parameters);
        if (parameters.Distinct().Count() < parameters.Count || parameters.Find(name => !Identifier().IsMatch(name)) is not null)
            throw new QueryArgumentException(
                $"The names {string.Join(", ", parameters.Skip(1).Select(name => $"'{name}'"))} must be different, and names of JavaScript",
                select.At
            );
        return new ScriptPlan(text, parameters, arguments, ScopeOfScript());
    }

    private void CopyFunction(RqlFunctionDeclaration function, char[] source)
    {
        const string Function = "function";
        // The query's keyword may be in capitals, JavaScript's may not.
        int start = _text.IndexOf(Function, OffsetOf(_text, function.At), StringComparison.OrdinalIgnoreCase);
        int end = OffsetOf(_text, function.Body.At) + function.Body.Text.Length;
        _text.CopyTo(start, source, start, end - start);
        Function.CopyTo(0, source, start, Function.Length);
    }

    private string Object(RqlSelect select)
    {
        var members = new List<string>();
        foreach (var item in select.Items)
        {
            var name =
                item.Alias
                ?? item.Expression switch
                {
                    RqlField field => TextOf(WithoutAliases(field)),
                    RqlMethodCall call => call.Name + "()",
                    _ => throw Unsupported("selecting anything but fields, id() and functions", item),
                };
            members.Add($"[{Quoted(name)}]: {JavaScript(item.Expression)}");
        }
        return "{" + string.Join(", ", members) + "}";
    }

    /// <summary>The path without the name of the document that it begins with.</summary>
    private RqlList<RqlPathSegment> WithoutAliases(RqlField field) =>
        IsName(field, out _) && field.Path.Count > 1 ? [.. field.Path.Skip(1)] : _scope.WithoutAlias(field);

    private bool IsName(RqlField field, out string name)
    {
        name = field.Path[0] is RqlProperty property ? property.Name : "";
        var first = name;
        return first == _scope.Alias || _query.Load.Any(load => load.Alias == first);
    }

    private string JavaScript(RqlExpression expression) =>
        expression switch
        {
            RqlString text => Quoted(text.Value),
            RqlNumber number => number.Text,
            RqlBoolean boolean => boolean.Value ? "true" : "false",
            RqlNull => "null",
            RqlParameter parameter => "$" + parameter.Name,
            RqlField { Path: [RqlProperty { Name: "this" }] } => DocumentName,
            RqlField field when IsName(field, out var name) => field.Path.Count == 1
                ? name
                : $"__valueAt({name}, {StepsOf(field.Path.Skip(1))})",
            RqlField field => $"__valueAt({DocumentName}, {StepsOf(field.Path)})",
            RqlMethodCall call when _scope.IsId(call) => $"id({DocumentName})",
            RqlMethodCall call when IsDeclared(call) => $"{call.Name}({string.Join(", ", call.Arguments.Select(JavaScript))})",
            RqlMethodCall call => throw RefusedInSelect(call),
            _ => throw Unsupported("this part of a projection", expression),
        };

    /// <summary>The query's parameters that the script names.</summary>
    private byte[] Arguments(string script, List<string> parameters)
    {
        var output = new ArrayBufferWriter<byte>();
        using var json = new Utf8JsonWriter(output);
        json.WriteStartObject();
        foreach (Match match in UsedParameter().Matches(script))
        {
            var name = match.Value[1..];
            if (parameters.Contains(match.Value) || !_parameters.TryGet(name, out var value))
                continue;
            parameters.Add(match.Value);
            json.WritePropertyName(name);
            value.WriteTo(json);
        }
        json.WriteEndObject();
        json.Flush();
        return output.WrittenSpan.ToArray();
    }

    private byte[] ScopeOfScript()
    {
        var output = new ArrayBufferWriter<byte>();
        using var json = new Utf8JsonWriter(output);
        json.WriteStartObject();
        json.WriteString("alias", DocumentName);
        json.WriteStartArray("loads");
        foreach (var load in _query.Load)
        {
            json.WriteStartObject();
            json.WriteString("name", load.Alias);
            WriteLoaded(load.Expression, json);
            json.WriteBoolean("each", load.Each);
            json.WriteEndObject();
        }
        json.WriteEndArray();
        json.WriteEndObject();
        json.Flush();
        return output.WrittenSpan.ToArray();
    }

    /// <summary>What is loaded: the ids at a path of the document or of one loaded before, or one id.</summary>
    private void WriteLoaded(RqlExpression expression, Utf8JsonWriter json)
    {
        switch (expression)
        {
            case RqlField field:
                bool isNamed = IsName(field, out var name) && field.Path.Count > 1;
                json.WriteString("base", isNamed ? name : DocumentName);
                json.WritePropertyName("path");
                json.WriteRawValue(StepsOf(field.Path.Skip(isNamed ? 1 : 0)));
                break;
            case RqlString or RqlParameter:
                json.WriteString("id", QueryValue.Of(expression, _scope).Text);
                break;
            case RqlMethodCall call:
                throw RqlMethods.Refusal(call, RqlMethodPlace.Load);
            default:
                throw Unsupported("loading anything but what stands at a path, or one id", expression);
        }
    }

    /// <summary>A path as scripts take it, whatever its names have in them: names, numbers of elements, null for each element.</summary>
    private static string StepsOf(IEnumerable<RqlPathSegment> path) =>
        "["
        + string.Join(
            ", ",
            path.Select(segment =>
                segment switch
                {
                    RqlProperty property => Quoted(property.Name),
                    RqlElementAt element => element.Index.ToString(CultureInfo.InvariantCulture),
                    _ => "null",
                }
            )
        )
        + "]";

    private static string Quoted(string text) => JsonSerializer.Serialize(text);

    [GeneratedRegex(@"\$[A-Za-z0-9_]+")]
    private static partial Regex UsedParameter();

    [GeneratedRegex(@"^[A-Za-z_$][A-Za-z0-9_$]*\z")]
    private static partial Regex Identifier();
}
