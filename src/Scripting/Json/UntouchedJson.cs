using System.Buffers;
using System.Text.Json;

namespace Jackdaw.Scripting.Json;

/// <summary>
/// Puts a script's result together with the JSON that it was made of, so that what the script left alone keeps its text: the form
/// of numbers (<c>12.7500</c>),
/// escapes in texts, and the order of members (a script's objects have names that are numbers first). Values are those of the
/// result throughout.
/// </summary>
public static class UntouchedJson
{
    private static readonly JsonDocumentOptions s_options = new() { MaxDepth = 1024 };

    /// <summary>Elements looked at, at most, to find what an array has in common with what it was.</summary>
    private const int MaxAligned = 4096;

    /// <summary>Writes <paramref name="result"/>, in the words of <paramref name="original"/> where these mean the same.</summary>
    /// <returns>False when the result means the same as the original, in which case nothing is written.</returns>
    /// <exception cref="JsonException">One of them is no JSON, or deeper than 1,024.</exception>
    public static bool Merge(ReadOnlyMemory<byte> original, ReadOnlyMemory<byte> result, IBufferWriter<byte> output)
    {
        ArgumentNullException.ThrowIfNull(output);
        using var before = JsonDocument.Parse(original, s_options);
        using var after = JsonDocument.Parse(result, s_options);
        if (AreEqual(before.RootElement, after.RootElement))
            return false;
        Write(before.RootElement, after.RootElement, output);
        return true;
    }

    private static void Write(JsonElement before, JsonElement after, IBufferWriter<byte> output)
    {
        if (before.ValueKind == JsonValueKind.Object && after.ValueKind == JsonValueKind.Object)
            WriteObject(before, after, output);
        else if (before.ValueKind == JsonValueKind.Array && after.ValueKind == JsonValueKind.Array)
            WriteArray(before, after, output);
        else
            WriteRaw(AreEqual(before, after) ? before : after, output);
    }

    private static void WriteObject(JsonElement before, JsonElement after, IBufferWriter<byte> output)
    {
        var members = new Dictionary<string, JsonProperty>();
        foreach (var member in after.EnumerateObject())
            members[NameOf(member)] = member;
        output.Write("{"u8);
        bool isFirst = true;
        // The last of several members of one name counts.
        var last = new Dictionary<string, JsonProperty>();
        foreach (var member in before.EnumerateObject())
            last[NameOf(member)] = member;
        foreach (var (name, old) in last)
        {
            if (!members.Remove(name, out var member))
                continue;
            WriteName(old, ref isFirst, output);
            Write(old.Value, member.Value, output);
        }
        foreach (var member in after.EnumerateObject())
        {
            if (!members.ContainsKey(NameOf(member)))
                continue;
            WriteName(member, ref isFirst, output);
            WriteRaw(member.Value, output);
        }
        output.Write("}"u8);
    }

    private static void WriteArray(JsonElement before, JsonElement after, IBufferWriter<byte> output)
    {
        int oldCount = before.GetArrayLength();
        int newCount = after.GetArrayLength();
        var olds = before.EnumerateArray().ToArray();
        var news = after.EnumerateArray().ToArray();
        int common = Math.Min(oldCount, newCount);
        int head = 0;
        int tail = 0;
        // Where elements were put in or taken out, those behind them have moved.
        if (oldCount != newCount && common <= MaxAligned)
        {
            while (head < common && AreEqual(olds[head], news[head]))
                head++;
            while (tail < common - head && AreEqual(olds[oldCount - 1 - tail], news[newCount - 1 - tail]))
                tail++;
        }
        output.Write("["u8);
        for (int i = 0; i < newCount; i++)
        {
            if (i > 0)
                output.Write(","u8);
            int old = i >= newCount - tail ? i - newCount + oldCount : i;
            if (old < oldCount)
                Write(olds[old], news[i], output);
            else
                WriteRaw(news[i], output);
        }
        output.Write("]"u8);
    }

    private static bool AreEqual(JsonElement before, JsonElement after)
    {
        if (before.ValueKind != after.ValueKind)
            return false;
        switch (before.ValueKind)
        {
            case JsonValueKind.Object:
                return AreObjectsEqual(before, after);
            case JsonValueKind.Array:
                if (before.GetArrayLength() != after.GetArrayLength())
                    return false;
                using (var others = after.EnumerateArray())
                {
                    foreach (var element in before.EnumerateArray())
                        if (!others.MoveNext() || !AreEqual(element, others.Current))
                            return false;
                }
                return true;
            case JsonValueKind.Number:
                return DecimalText.AreEqual(Raw(before), Raw(after));
            case JsonValueKind.String:
                return AreTextsEqual(before, after);
            default:
                return true;
        }
    }

    private static bool AreObjectsEqual(JsonElement before, JsonElement after)
    {
        var members = new Dictionary<string, JsonElement>();
        foreach (var member in after.EnumerateObject())
            members[NameOf(member)] = member.Value;
        var last = new Dictionary<string, JsonElement>();
        foreach (var member in before.EnumerateObject())
            last[NameOf(member)] = member.Value;
        if (last.Count != members.Count)
            return false;
        foreach (var (name, value) in last)
            if (!members.TryGetValue(name, out var other) || !AreEqual(value, other))
                return false;
        return true;
    }

    private static bool AreTextsEqual(JsonElement before, JsonElement after)
    {
        var left = Raw(before);
        var right = Raw(after);
        if (left.SequenceEqual(right))
            return true;
        if (!left.Contains((byte)'\\') && !right.Contains((byte)'\\'))
            return false;
        return JsonText.Unescape(left) == JsonText.Unescape(right);
    }

    private static string NameOf(JsonProperty member) => JsonText.Unescape(RawName(member));

    private static void WriteName(JsonProperty member, ref bool isFirst, IBufferWriter<byte> output)
    {
        if (!isFirst)
            output.Write(","u8);
        isFirst = false;
        output.Write("\""u8);
        output.Write(RawName(member));
        output.Write("\":"u8);
    }

    private static void WriteRaw(JsonElement value, IBufferWriter<byte> output)
    {
        if (value.ValueKind == JsonValueKind.String)
        {
            output.Write("\""u8);
            output.Write(Raw(value));
            output.Write("\""u8);
            return;
        }
        output.Write(Raw(value));
    }

    /// <summary>A text without its quotes, otherwise the whole value.</summary>
    private static ReadOnlySpan<byte> Raw(JsonElement value)
    {
        var raw = System.Runtime.InteropServices.JsonMarshal.GetRawUtf8Value(value);
        return value.ValueKind == JsonValueKind.String ? raw[1..^1] : raw;
    }

    private static ReadOnlySpan<byte> RawName(JsonProperty member) =>
        System.Runtime.InteropServices.JsonMarshal.GetRawUtf8PropertyName(member);
}
