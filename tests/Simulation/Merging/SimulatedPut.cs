using System.Globalization;
using System.Text;
using Jackdaw.Documents;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;

namespace Jackdaw.Simulation.Merging;

/// <summary>A put: of an id, of the next number or identity, or of a guid.</summary>
internal sealed class SimulatedPut : SimulatedCommand
{
    private PutCommand _command = null!;

    /// <summary>Null: a guid; ending in <c>/</c> or <c>|</c>: the server makes it.</summary>
    public required string? Id { get; init; }

    /// <summary>Null: none.</summary>
    public required string? Collection { get; init; }

    public required string Body { get; init; }

    public required string Metadata { get; init; }

    public void AddTo(BatchOperation batch)
    {
        _command = batch.AddPut();
        _command.SetId(Id);
        _command.SetExpectedChangeVector(Expected);
        var collection = Collection == null ? "" : $"\"@collection\":\"{Collection}\"";
        var metadata = collection.Length > 0 && Metadata.Length > 0 ? collection + "," + Metadata : collection + Metadata;
        var comma = Body.Length > 2 ? "," : "";
        _command.SetDocument(Encoding.UTF8.GetBytes($"{Body[..^1]}{comma}\"@metadata\":{{{metadata}}}}}"), Limits.Default);
    }

    public override (DatabaseState After, ExpectedRefusal? Refusal) Model(DatabaseState before, bool kept, long ticks)
    {
        var (id, state) = ResolveId(before, kept);
        if (id == null)
            return (before, new ExpectedRefusal(typeof(NumbersExhaustedException), null));
        var found = state.Documents.GetValueOrDefault(id.ToLowerInvariant());
        if (Conflict(found) is { } conflict)
            return (before, conflict);
        var collection = Collection ?? "@empty";
        if (found != null && !found.Collection.Equals(collection, StringComparison.OrdinalIgnoreCase))
            return (before, new ExpectedRefusal(typeof(DocumentCollectionMismatchException), found.Collection));
        var after = state.Put(id, collection, Body, Metadata, ticks);
        if (kept)
            CheckResults(after.Documents[id.ToLowerInvariant()]);
        return (after, null);
    }

    public override string ToString() => $"put {Id ?? "(guid)"}{(Expected == null ? "" : $" expecting '{Expected}'")}";

    private void CheckResults(DocumentState stored)
    {
        OracleException.Require(_command.Etag == stored.Etag, $"{this} was told etag {_command.Etag} where {stored.Etag} is the next");
        OracleException.Require(
            Encoding.UTF8.GetString(_command.Id) == stored.Id,
            $"{this} was told id '{Encoding.UTF8.GetString(_command.Id)}' instead of '{stored.Id}'"
        );
        OracleException.Require(
            Encoding.UTF8.GetString(_command.ChangeVector) == MergerHistory.ChangeVectorOf(stored.Etag),
            $"{this} was told another change vector"
        );
        OracleException.Require(_command.LastModifiedTicks == stored.ModifiedTicks, $"{this} was told another time");
    }

    /// <summary>The id, and the state with what making it used up. Null: there is no number left.</summary>
    private (string? Id, DatabaseState State) ResolveId(DatabaseState state, bool kept)
    {
        if (Id == null)
        {
            // Chance makes it; a refused one has none that anybody saw.
            var id = kept ? Encoding.UTF8.GetString(_command.Id) : $"(guid {state.LastEtag})";
            OracleException.Require(!state.Documents.ContainsKey(id), $"{this}: the new id is somebody's");
            return (id, state);
        }
        if (Id.EndsWith('/'))
            return (IdOf(Number(state, state.LastEtag, kept)), state);
        if (!Id.EndsWith('|'))
            return (Id, state);
        var name = Id.ToLowerInvariant();
        var last = state.Identities.GetValueOrDefault(name);
        if (last == long.MaxValue)
            return (null, state);
        var value = Number(state, last, kept);
        return (IdOf(value), state with { Identities = state.Identities.SetItem(name, value) });
    }

    /// <summary>The next number, or where a document has that one some later number that is free; which one is the server's
    /// choice.</summary>
    private long Number(DatabaseState state, long last, bool kept)
    {
        var number = last + 1;
        if (!state.Documents.ContainsKey(IdOf(number).ToLowerInvariant()))
            return number;
        while (!kept && state.Documents.ContainsKey(IdOf(number).ToLowerInvariant()))
            number++;
        if (!kept)
            return number;
        var digits = Encoding.UTF8.GetString(_command.Id).AsSpan(Id!.Length);
        OracleException.Require(
            long.TryParse(
                digits[..(digits.IndexOf('-') is > 0 and var dash ? dash : digits.Length)],
                NumberStyles.None,
                CultureInfo.InvariantCulture,
                out number
            ),
            $"{this} was told id '{Encoding.UTF8.GetString(_command.Id)}'"
        );
        OracleException.Require(
            number > last && !state.Documents.ContainsKey(IdOf(number).ToLowerInvariant()),
            $"{this} was told number {number} after {last}, or it is somebody's"
        );
        return number;
    }

    private string IdOf(long number) => Id!.EndsWith('/') ? $"{Id}{number:D19}-A" : $"{Id[..^1]}/{number}";
}
