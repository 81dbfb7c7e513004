using System.Runtime.CompilerServices;
using System.Text;
using Acornima;
using Acornima.Ast;

namespace Jackdaw.Scripting.Source;

/// <summary>
/// Rewrites a script so that a member of null or undefined reads as undefined: <c>a.b</c> becomes <c>a?.b</c>, and <c>a[b]</c>
/// becomes <c>a?.[b]</c>, wherever the grammar of JavaScript has a place for it. What is assigned to stays as it is: a member of
/// nothing cannot be set.
/// </summary>
internal sealed class OptionalReads : AstVisitor
{
    private static readonly Insertion[] s_none = [];

    private readonly List<Token> _dots = [];
    private readonly List<Token> _brackets = [];
    private readonly List<(int At, Insertion Insertion)> _found = [];

    /// <summary>Members along the chain of what is assigned to, of a constructor or of a tag: <c>?.</c> is an error in these.</summary>
    private readonly HashSet<Node> _fixed = [];

    private OptionalReads() { }

    /// <summary>The text as it is compiled. A text that does not parse stays as it is, so that the engine's error is about it.</summary>
    /// <param name="source">The body of a strict function.</param>
    public static RewrittenSource Of(string source)
    {
        var reads = new OptionalReads();
        try
        {
            var parser = new Parser(
                new ParserOptions
                {
                    AllowReturnOutsideFunction = true,
                    OnToken = reads.Collect,
                    // Which regular expressions are right is for the engine to say.
                    OnRegExp = static (in RegExpParsingContext _) => default,
                }
            );
            reads.Visit(parser.ParseScript(source, strict: true));
        }
        catch (Exception unread) when (unread is ParseErrorException or InsufficientExecutionStackException)
        {
            return new RewrittenSource(source, s_none);
        }
        return reads.Insert(source);
    }

    public override object? Visit(Node node)
    {
        RuntimeHelpers.EnsureSufficientExecutionStack();
        switch (node)
        {
            case MemberExpression member when _fixed.Contains(member):
                Fix(member.Object);
                break;
            case MemberExpression { Optional: false, Object: not Super } member:
                Add(member);
                break;
            case CallExpression call when _fixed.Contains(call):
                Fix(call.Callee);
                break;
            case NewExpression made:
                Fix(made.Callee);
                break;
            case TaggedTemplateExpression tagged:
                Fix(tagged.Tag);
                break;
            case AssignmentExpression assignment:
                Fix(assignment.Left);
                break;
            case UpdateExpression update:
                Fix(update.Argument);
                break;
            case ForInStatement loop:
                Fix(loop.Left);
                break;
            case ForOfStatement loop:
                Fix(loop.Left);
                break;
            case ArrayPattern pattern:
                foreach (var element in pattern.Elements)
                    Fix(element);
                break;
            case ObjectPattern pattern:
                foreach (var property in pattern.Properties)
                    Fix((property as Property)?.Value);
                break;
            case RestElement rest:
                Fix(rest.Argument);
                break;
            case AssignmentPattern pattern:
                Fix(pattern.Left);
                break;
        }
        return base.Visit(node);
    }

    /// <summary>Called before the node is visited.</summary>
    private void Fix(Node? node)
    {
        if (node is MemberExpression or CallExpression)
            _fixed.Add(node);
    }

    private void Collect(in Token token)
    {
        if (token.Kind != TokenKind.Punctuator)
            return;
        if (token.Value is ".")
            _dots.Add(token);
        else if (token.Value is "[")
            _brackets.Add(token);
    }

    private void Add(MemberExpression member)
    {
        // The first bracket behind the object, or the last dot in front of the name.
        var token = member.Computed
            ? _brackets[FirstFrom(_brackets, member.Object.End)]
            : _dots[FirstFrom(_dots, member.Property.Start) - 1];
        int length = member.Computed ? "?.".Length : "?".Length;
        _found.Add((token.Start, new Insertion(token.Location.Start.Line, token.Location.Start.Column, length)));
    }

    /// <summary>The first that begins at the place or behind it.</summary>
    private static int FirstFrom(List<Token> tokens, int at)
    {
        int low = 0;
        int high = tokens.Count;
        while (low < high)
        {
            int middle = (low + high) / 2;
            if (tokens[middle].Start < at)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    private RewrittenSource Insert(string source)
    {
        if (_found.Count == 0)
            return new RewrittenSource(source, s_none);
        _found.Sort((a, b) => a.At.CompareTo(b.At));
        var text = new StringBuilder(source.Length + 2 * _found.Count);
        int copied = 0;
        foreach (var (at, insertion) in _found)
        {
            text.Append(source, copied, at - copied).Append("?.", 0, insertion.Length);
            copied = at;
        }
        text.Append(source, copied, source.Length - copied);
        return new RewrittenSource(text.ToString(), [.. _found.Select(found => found.Insertion)]);
    }
}
