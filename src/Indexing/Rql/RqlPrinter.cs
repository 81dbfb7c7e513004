using System.Globalization;
using System.Text;
using Jackdaw.Indexing.Rql.Syntax;

namespace Jackdaw.Indexing.Rql;

/// <summary>
/// Prints a tree as canonical RQL: clauses in one order, keywords in lower case, single quotes, no parentheses that the precedence
/// of the words does not need. Parsing the text again gives an equal tree.
/// </summary>
internal sealed class RqlPrinter
{
    private readonly StringBuilder _output = new();

    private RqlPrinter() { }

    public static string Print(RqlQuery query)
    {
        var printer = new RqlPrinter();
        printer.PrintQuery(query);
        return printer._output.ToString();
    }

    public static string Print(RqlExpression expression)
    {
        var printer = new RqlPrinter();
        printer.PrintExpression(expression);
        return printer._output.ToString();
    }

    private void PrintQuery(RqlQuery query)
    {
        foreach (var declaration in query.Declarations)
            Append(
                declaration is RqlFunctionDeclaration ? "declare function " : "declare timeseries ",
                declaration.Name,
                "(",
                declaration.Parameters,
                ") ",
                declaration.Body.Text,
                "\n"
            );

        PrintFrom(query.From);
        PrintItems(" group by ", query.GroupBy, PrintExpression);
        PrintClause(" where ", query.Where);
        PrintItems(" order by ", query.OrderBy, PrintOrdering);
        PrintItems(" load ", query.Load, PrintLoad);
        PrintClause(" filter ", query.Filter);
        if (query.Select is { } select)
            PrintSelect(select);
        PrintItems(" include ", query.Include, PrintExpression);
        if (query.Update is { } update)
            Append(" update ", update.Text);

        if (query.Limit is null)
            PrintClause(" offset ", query.Offset);
        else
        {
            PrintClause(" limit ", query.Offset ?? query.Limit);
            if (query.Offset is not null)
                PrintClause(", ", query.Limit);
        }

        PrintClause(" filter_limit ", query.FilterLimit);
    }

    private void PrintFrom(RqlFrom from)
    {
        Append("from ");
        if (from.Kind == RqlSourceKind.Index)
            Append("index ", Quoted(from.Name));
        else
            Append(
                CanStandBare(from.Name) && !from.Name.Equals("index", StringComparison.OrdinalIgnoreCase) ? from.Name : Quoted(from.Name)
            );

        if (from.SourceFilter is { } filter)
        {
            Append(" (");
            PrintExpression(filter);
            Append(")");
        }

        if (from.Alias is { } alias)
            Append(" as ", alias);
    }

    private void PrintClause(string word, RqlExpression? expression)
    {
        if (expression is null)
            return;
        Append(word);
        PrintExpression(expression);
    }

    private void PrintItems<T>(string before, IReadOnlyList<T> items, Action<T> print)
    {
        for (var i = 0; i < items.Count; i++)
        {
            Append(i == 0 ? before : ", ");
            print(items[i]);
        }
    }

    private void PrintOrdering(RqlOrdering ordering)
    {
        PrintExpression(ordering.Expression);
        Append(
            ordering.As switch
            {
                RqlOrderingType.Text => " as string",
                RqlOrderingType.Long => " as long",
                RqlOrderingType.Double => " as double",
                RqlOrderingType.AlphaNumeric => " as alphaNumeric",
                _ => "",
            }
        );
        if (ordering.Descending)
            Append(" desc");
    }

    private void PrintLoad(RqlLoad load)
    {
        PrintExpression(load.Expression);
        Append(" as ", load.Alias, load.Each ? "[]" : "");
    }

    private void PrintSelect(RqlSelect select)
    {
        Append(select.Distinct ? " select distinct " : " select ");

        // A field of this name would pass for the keyword where it comes first.
        var first = select.Items[0].Expression as RqlField;
        if (first?.Path[0] is RqlProperty { Name: var name } && name.Equals("distinct", StringComparison.OrdinalIgnoreCase))
        {
            Append(Quoted(name));
            PrintPath([.. first.Path.Skip(1)], continued: true);
            PrintSelectAlias(select.Items[0]);
        }
        else
            PrintSelectItem(select.Items[0]);

        foreach (var item in select.Items.Skip(1))
        {
            Append(", ");
            PrintSelectItem(item);
        }
    }

    private void PrintSelectItem(RqlSelectItem item)
    {
        PrintExpression(item.Expression);
        PrintSelectAlias(item);
    }

    private void PrintSelectAlias(RqlSelectItem item)
    {
        if (item.Alias is { } alias)
            PrintAlias(alias);
    }

    private void PrintAlias(string alias) => Append(" as ", RqlLexer.IsIdentifier(alias) ? alias : Quoted(alias));

    private void PrintExpression(RqlExpression expression)
    {
        switch (expression)
        {
            case RqlLogical logical:
                PrintLogical(logical);
                break;
            case RqlNot not:
                Append("not ");
                PrintOperand(not.Operand, not.Operand is RqlLogical);
                break;
            case RqlComparison comparison:
                PrintExpression(comparison.Left);
                Append(" ", Symbol(comparison.Operator), " ");
                PrintExpression(comparison.Right);
                break;
            case RqlIn @in:
                PrintExpression(@in.Operand);
                Append(@in.All ? " all in (" : " in (");
                PrintItems("", @in.Values, PrintExpression);
                Append(")");
                break;
            case RqlBetween between:
                PrintExpression(between.Operand);
                PrintClause(" between ", between.Low);
                PrintClause(" and ", between.High);
                break;
            case RqlMethodCall call:
                Append(call.Name, "(");
                PrintItems("", call.Arguments, PrintExpression);
                Append(")");
                PrintPath(call.Path, continued: true);
                break;
            case RqlNamedArgument named:
                PrintExpression(named.Expression);
                PrintAlias(named.Name);
                break;
            case RqlArray array:
                Append("[");
                PrintItems("", array.Items, PrintExpression);
                Append("]");
                break;
            case RqlField field:
                PrintPath(field.Path, continued: false);
                break;
            default:
                PrintAtom(expression);
                break;
        }
    }

    private void PrintAtom(RqlExpression atom) =>
        Append(
            atom switch
            {
                RqlString text => Quoted(text.Value),
                RqlNumber number => number.Text,
                RqlParameter parameter => "$" + parameter.Name,
                RqlBoolean boolean => boolean.Value ? "true" : "false",
                RqlNull => "null",
                RqlStar => "*",
                RqlOperatorArgument argument => Word(argument.Operator),
                RqlObject literal => literal.Script.Text,
                RqlTimeSeriesQuery series => $"timeseries({series.Text})",
                _ => throw new ArgumentException($"No way to print {atom.GetType().Name}.", nameof(atom)),
            }
        );

    private void PrintLogical(RqlLogical logical)
    {
        for (var i = 0; i < logical.Operands.Count; i++)
        {
            if (i > 0)
                Append(" ", Word(logical.Operator), " ");

            // A chain within a chain of the same word was parenthesised by its author, and stays a node of its own.
            var operand = logical.Operands[i];
            PrintOperand(operand, operand is RqlLogical inner && inner.Operator <= logical.Operator);
        }
    }

    private void PrintOperand(RqlExpression operand, bool parenthesise)
    {
        if (parenthesise)
            Append("(");
        PrintExpression(operand);
        if (parenthesise)
            Append(")");
    }

    private void PrintPath(RqlList<RqlPathSegment> path, bool continued)
    {
        for (var i = 0; i < path.Count; i++)
        {
            var first = i == 0 && !continued;
            switch (path[i])
            {
                case RqlProperty property:
                    var bare = first ? CanStandBare(property.Name) : RqlLexer.IsIdentifier(property.Name);
                    Append(first ? "" : ".", bare ? property.Name : Quoted(property.Name));
                    break;
                case RqlElementAt element:
                    Append("[", element.Index.ToString(CultureInfo.InvariantCulture), "]");
                    break;
                case RqlEachElement:
                    Append("[]");
                    break;
            }
        }
    }

    private void Append(params ReadOnlySpan<string> parts)
    {
        foreach (var part in parts)
            _output.Append(part);
    }

    /// <summary>Of reserved words those that begin clauses: whatever is printed behind a field shows that they do not.</summary>
    private static bool CanStandBare(string name) => RqlLexer.IsIdentifier(name) && !RqlKeywords.StandsBesideOperands(name);

    private static string Quoted(string value) =>
        $"'{value.Replace("\\", "\\\\", StringComparison.Ordinal).Replace("'", "\\'", StringComparison.Ordinal)}'";

    private static string Word(RqlLogicalOperator op) => op == RqlLogicalOperator.And ? "and" : "or";

    private static string Symbol(RqlComparisonOperator op) =>
        op switch
        {
            RqlComparisonOperator.Equal => "=",
            RqlComparisonOperator.NotEqual => "!=",
            RqlComparisonOperator.Less => "<",
            RqlComparisonOperator.LessOrEqual => "<=",
            RqlComparisonOperator.Greater => ">",
            _ => ">=",
        };
}
