using Jackdaw.Documents.Json;
using Jackdaw.Indexing.Rql.Syntax;

namespace Jackdaw.Indexing.Queries;

/// <summary>The functions <c>now()</c> and <c>today()</c> as values of conditions.</summary>
internal static class DateFunction
{
    /// <summary>Reads a call as the date that it stands for; null for any other function.</summary>
    public static QueryValue? Of(RqlMethodCall call, QueryScope scope)
    {
        bool isNow = call.Is("now");
        if (!isNow && !call.Is("today"))
            return null;
        if (call.Path.Count > 0)
            throw new QueryNotSupportedException($"a property of {call.Name}()", call.At);
        if (call.Arguments.Count > (isNow ? 1 : 0))
            throw new QueryArgumentException(isNow ? "now() takes an offset or nothing" : "today() takes no argument", call.At);
        var moment = isNow ? scope.Now : scope.Now.Date;
        if (call.Arguments is [var argument] && QueryValue.Of(argument, scope) is { Kind: not QueryValueKind.Null } offset)
            moment = Moved(moment, offset.Text, argument);
        return new QueryValue(QueryValueKind.Text, ProtocolDate.ToText(moment.Ticks, withZ: true));
    }

    private static DateTime Moved(DateTime moment, string text, RqlExpression argument)
    {
        if (!TimeOffset.TryParse(text, out var offset))
            throw new QueryArgumentException(
                $"'{text}' is no offset of now(): a sign, then numbers with units in descending order (y, mo, d, h, m, s), "
                    + "such as '-7d' or '+1y 6mo'",
                argument.At
            );
        return offset.TryApply(moment, out var moved)
            ? moved
            : throw new QueryArgumentException($"now('{text}') is not within the years 1 to 9999", argument.At);
    }
}
