using System.Text.Json;
using Xunit;

namespace Jackdaw.Etl.Tests;

/// <summary>What the documents are at the end, and so what a receiver must have got.</summary>
internal sealed class History
{
    /// <summary>Documents are moved to it; no task reads it.</summary>
    private const string Elsewhere = "Archive";

    private readonly Dictionary<string, Expected> _documents = [];
    private readonly HashSet<string> _elsewhere = [];

    private sealed record Expected(string ChangeVector, bool First, bool Second, bool IsBuried);

    /// <param name="id">The document.</param>
    /// <param name="changeVector">Of this version.</param>
    /// <param name="first">Its first message is sent.</param>
    /// <param name="second">Its second message is sent.</param>
    /// <param name="isBuried">Something of it becomes a dead letter.</param>
    public void Remember(string id, string changeVector, bool first, bool second, bool isBuried)
    {
        _documents[id] = new Expected(changeVector, first, second, isBuried);
        _elsewhere.Remove(id);
    }

    /// <summary>The document was deleted, wherever it was.</summary>
    public void Forget(string id)
    {
        _documents.Remove(id);
        _elsewhere.Remove(id);
    }

    /// <summary>Is there a document of this id in a collection that the task does not read?</summary>
    public bool IsElsewhere(string id) => _elsewhere.Contains(id);

    /// <summary>Makes a document of an id that was deleted, in a collection that the task does not read.</summary>
    public async Task MoveAsync(Scene scene, string id)
    {
        await scene.PutAsync(id, "{}", Elsewhere);
        _elsewhere.Add(id);
    }

    /// <param name="scene">After everything.</param>
    /// <param name="faults">Faults and crashes that there were.</param>
    /// <param name="position">Where the task is; null: as its database says.</param>
    /// <param name="wereSomeRefused">The receiver refused some and took what followed: that came too early then, and again later.</param>
    public void Check(Scene scene, int faults, long? position = null, bool wereSomeRefused = false)
    {
        NothingIsMissing(scene);
        WhatIsGoneWasTold(scene);
        DuplicatesHaveTheirFault(scene, faults);
        EveryKeyIsInOrder(scene, faults, wereSomeRefused);
        Assert.Equal(scene.Database.LastDurableEtag, position ?? scene.StoredPosition());
    }

    private void NothingIsMissing(Scene scene)
    {
        var received = scene.Ledger.Select(message => message.Id).ToHashSet();
        var buried = scene
            .DeadLetters()
            .Select(letter => JsonDocument.Parse(letter).RootElement.GetProperty("ChangeVector").GetString()!)
            .ToHashSet();
        foreach (var (id, expected) in _documents)
        {
            Assert.True(received.Contains(expected.ChangeVector) == expected.First, $"The first message of {id}, {expected.ChangeVector}");
            Assert.True(
                received.Contains($"{expected.ChangeVector}#All/2") == expected.Second,
                $"The second message of {id}, {expected.ChangeVector}"
            );
            Assert.True(buried.Contains(expected.ChangeVector) == expected.IsBuried, $"The dead letter of {id}, {expected.ChangeVector}");
        }
        foreach (var deletion in Deletions(scene))
            Assert.Contains(deletion, received);
    }

    /// <summary>Who goes by the newest message of each document knows which are there: not one that was deleted, or moved to another
    /// collection, stays with him for ever.</summary>
    private void WhatIsGoneWasTold(Scene scene)
    {
        foreach (var document in scene.Ledger.GroupBy(message => message.Message.Origin.DocumentId))
        {
            var newest = document.MaxBy(message => message.Message.Origin.Etag)!.Message.Origin;
            Assert.True(
                newest.IsDeletion || _documents.ContainsKey(document.Key),
                $"{document.Key} is not in the collection any more, and its newest message, {newest.ChangeVector}, is no deletion."
            );
        }
    }

    /// <summary>The change vectors of the tombstones that are there.</summary>
    private static List<string> Deletions(Scene scene)
    {
        var found = new List<string>();
        using var reader = scene.Database.OpenRead("test");
        var tombstones = reader.Tombstones("Orders", 0);
        while (tombstones.MoveNext())
            found.Add(System.Text.Encoding.ASCII.GetString(tombstones.Current.ChangeVector));
        return found;
    }

    private static void DuplicatesHaveTheirFault(Scene scene, int faults)
    {
        foreach (var copies in scene.Ledger.GroupBy(message => message.Id))
        {
            Assert.True(copies.Count() - 1 <= faults, $"{copies.Key} came {copies.Count()} times after {faults} faults.");
            Assert.Single(copies.Select(copy => (copy.Message.Target, copy.Text, copy.Message.Event.Source)).Distinct());
        }
    }

    /// <summary>
    /// New ones only ever follow older ones; the order is broken only by what is sent again, and then all that follows comes
    /// again too, but for versions that
    /// are no more (changed since, or a deletion whose document was made again); so of what lasts the last one is the newest.
    /// </summary>
    private void EveryKeyIsInOrder(Scene scene, int faults, bool wereSomeRefused)
    {
        var lasting = _documents.Values.Select(expected => expected.ChangeVector).Concat(Deletions(scene)).ToHashSet();
        foreach (var key in scene.Ledger.GroupBy(message => message.Message.Key))
        {
            var order = key.Select(message => (message.Message.Origin.Etag, message.Message.Number)).ToArray();
            var lastingOfKey = key.Where(message => lasting.Contains(message.Message.Origin.ChangeVector))
                .Select(message => (message.Message.Origin.Etag, message.Message.Number))
                .ToHashSet();
            var lasts = order.Reverse().Where(lastingOfKey.Contains).Distinct().Reverse().ToArray();
            Assert.Equal(lasts.Order(), lasts);
            var firsts = order.Distinct().ToArray();
            if (!wereSomeRefused)
                Assert.Equal(firsts.Order(), firsts);
            for (int i = 1; i < order.Length && !wereSomeRefused; i++)
                Assert.DoesNotContain(lastingOfKey, skipped => skipped.CompareTo(order[i - 1]) > 0 && skipped.CompareTo(order[i]) < 0);
            Assert.DoesNotContain(lastingOfKey, newer => newer.CompareTo(order[^1]) > 0);
            int steps = Enumerable.Range(1, order.Length - 1).Count(i => order[i].CompareTo(order[i - 1]) <= 0);
            Assert.True(steps <= faults, $"The order of {key.Key} was broken {steps} times by {faults} faults.");
        }
    }
}
