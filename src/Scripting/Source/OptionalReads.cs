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
        return base.Visit(node);
    }

    protected override object? VisitMemberExpression(MemberExpression member)
    {
        if (!member.Optional && member.Object is not Super && !_fixed.Contains(member))
            Add(member);
        if (_fixed.Contains(member))
            Fix(member.Object);
        return base.VisitMemberExpression(member);
    }

    protected override object? VisitCallExpression(CallExpression call)
    {
        if (_fixed.Contains(call))
            Fix(call.Callee);
        return base.VisitCallExpression(call);
    }

    protected override object? VisitNewExpression(NewExpression made)
    {
        Fix(made.Callee);
        return base.VisitNewExpression(made);
    }

    protected override object? VisitTaggedTemplateExpression(TaggedTemplateExpression tagged)
    {
        Fix(tagged.Tag);
        return base.VisitTaggedTemplateExpression(tagged);
    }

    protected override object? VisitAssignmentExpression(AssignmentExpression assignment)
    {
        Fix(assignment.Left);
        return base.VisitAssignmentExpression(assignment);
    }

    protected override object? VisitUnaryExpression(UnaryExpression unary)
    {
        if (unary is UpdateExpression)
            Fix(unary.Argument);
        return base.VisitUnaryExpression(unary);
    }

    protected override object? VisitForInStatement(ForInStatement loop)
    {
        Fix(loop.Left);
        return base.VisitForInStatement(loop);
    }

    protected override object? VisitForOfStatement(ForOfStatement loop)
    {
        Fix(loop.Left);
        return base.VisitForOfStatement(loop);
    }

    protected override object? VisitArrayPattern(ArrayPattern pattern)
    {
        foreach (var element in pattern.Elements)
            Fix(element);
        return base.VisitArrayPattern(pattern);
    }

    protected override object? VisitObjectPattern(ObjectPattern pattern)
    {
        foreach (var property in pattern.Properties)
            Fix((property as Property)?.Value);
        return base.VisitObjectPattern(pattern);
    }

    protected override object? VisitRestElement(RestElement rest)
    {
        Fix(rest.Argument);
        return base.VisitRestElement(rest);
    }

    protected override object? VisitAssignmentPattern(AssignmentPattern pattern)
    {
        Fix(pattern.Left);
        return base.VisitAssignmentPattern(pattern);
    }

    /// <summary>Called before the node is visited.</summary>
    private void Fix(Node? node)
    {
        if (node is MemberExpression or CallExpression or TaggedTemplateExpression)
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
        var token = member.Computed ? First(_brackets, member.Object.End) : Last(_dots, member.Property.Start);
        string text = member.Computed ? "?." : "?";
        _found.Add((token.Start, new Insertion(token.Location.Start.Line, token.Location.Start.Column, text.Length)));
    }

    /// <summary>The first that begins at the place or behind it.</summary>
    private static Token First(List<Token> tokens, int at) => tokens[Index(tokens, at)];

    /// <summary>The last that begins before the place.</summary>
    private static Token Last(List<Token> tokens, int at) => tokens[Index(tokens, at) - 1];

    private static int Index(List<Token> tokens, int at)
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
