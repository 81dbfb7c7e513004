using System.Globalization;
using System.Text.Json;
using System.Text.Json.Nodes;
using Jackdaw.Functions.Handlers.Consuming;
using Jackdaw.Functions.Handlers.Messages;
using Jackdaw.Functions.Handlers.Storing;
using Jackdaw.Functions.Handlers.Streams;

namespace Jackdaw.Functions.Handlers.Samples;

/// <summary>
/// The sample over event streams: the balance of each account, whose events are <c>{"deposited":10}</c> and <c>{"withdrawn":4}</c>, and
/// a notice to the outside for each large withdrawal.
/// </summary>
/// <param name="version">Raise it to build the read model anew.</param>
public sealed class AccountBalances(int version) : IStreamProjection
{
    /// <summary>From this amount on a withdrawal is large.</summary>
    public const long LargeAmount = 1000;

    /// <summary>The type of the notices.</summary>
    public const string LargeWithdrawal = "bank.large-withdrawal";

    /// <inheritdoc/>
    public Consumer Consumer { get; } = new("account-balances", version);

    /// <inheritdoc/>
    public string Collection => "Balances";

    /// <inheritdoc/>
    public string IdOf(string stream) => $"balances/{Consumer.Hash(stream)}";

    /// <inheritdoc/>
    public JsonObject Begin(string stream) =>
        new()
        {
            ["Account"] = stream,
            ["Balance"] = 0L,
            ["Events"] = 0L,
        };

    /// <inheritdoc/>
    public IEnumerable<Effect> Apply(JsonObject state, SourceEvent one, string eventId)
    {
        ArgumentNullException.ThrowIfNull(state);
        ArgumentNullException.ThrowIfNull(one);
        var withdrawn = Amount(one, "withdrawn");
        if ((withdrawn ?? Amount(one, "deposited")) is not { } amount)
            throw Fault(one, "is neither a deposit nor a withdrawal");
        var balance = (long)state["Balance"]!;
        try
        {
            state["Balance"] = checked(withdrawn is null ? balance + amount : balance - amount);
        }
        catch (OverflowException)
        {
            throw Fault(one, "takes the balance beyond what a number of 64 bits holds");
        }
        state["Events"] = (long)state["Events"]! + 1;
        if (withdrawn is not >= LargeAmount)
            return [];
        return
        [
            new Effect(
                $"{eventId}#{LargeWithdrawal}",
                "urn:jackdaw:account-balances",
                LargeWithdrawal,
                one.Stream,
                new JsonObject
                {
                    ["Account"] = one.Stream,
                    ["Number"] = one.Number,
                    ["Amount"] = withdrawn,
                }
            ),
        ];
    }

    private static MessageFaultException Fault(SourceEvent one, string what) =>
        new(string.Create(CultureInfo.InvariantCulture, $"Event {one.Number} of '{one.Stream}' {what}."));

    private static long? Amount(SourceEvent one, string name) =>
        one.Payload.ValueKind == JsonValueKind.Object
        && one.Payload.TryGetProperty(name, out var value)
        && value.ValueKind == JsonValueKind.Number
        && value.TryGetInt64(out var amount)
            ? amount
            : null;
}
