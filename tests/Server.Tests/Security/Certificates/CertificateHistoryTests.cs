using System.Security.Cryptography.X509Certificates;
using Jackdaw.Documents;
using Jackdaw.Server.Security;
using Jackdaw.Server.Security.Certificates;
using Jackdaw.Simulation.Following;
using Jackdaw.Simulation.Medium;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Server.Tests.Security.Certificates;

/// <summary>Random histories of changes by several clients, with power cuts, against a model that knows who may do what and whom each
/// certificate belongs to. The seed is in the failure.</summary>
public sealed class CertificateHistoryTests : IDisposable
{
    private const int Histories = 30;
    private const int Sessions = 4;

    private static readonly string[] s_databases = ["a", "B", "c"];

    private readonly ManualClock _clock = new();
    private readonly List<ClientKey> _keys = [];
    private readonly List<X509Certificate2> _pool = [];

    public CertificateHistoryTests()
    {
        // Two certificates of each key: one may be the renewal of the other.
        for (var i = 0; i < 5; i++)
        {
            var key = new ClientKey { Clock = _clock };
            _keys.Add(key);
            _pool.Add(key.Certificate($"c{i}"));
            _pool.Add(key.Certificate($"c{i} renewed", to: 500));
        }
    }

    public void Dispose()
    {
        foreach (var certificate in _pool)
            certificate.Dispose();
        foreach (var key in _keys)
            key.Dispose();
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void Every_history_is_what_the_model_makes_of_it()
    {
        var applied = 0;
        for (ulong seed = 1; seed <= Histories; seed++)
        {
            try
            {
                applied += Run(seed);
            }
            catch (Exception failure)
            {
                throw new InvalidOperationException($"Seed {seed}: {failure.Message}", failure);
            }
        }
        // Else they would show nothing.
        Assert.InRange(applied, Histories * 10, int.MaxValue);
    }

    private int Run(ulong seed)
    {
        var random = new SimulatedRandom(seed);
        using var disk = new SimulatedDisk(random, 512, new SimulatedClock(), new OperationTrace());
        var model = new CertificateModel(_pool);
        CertificateModel? open = null;
        var applied = 0;
        for (var session = 0; session < Sessions; session++)
        {
            var isLast = session == Sessions - 1;
            if (!isLast)
                disk.CutPowerIn(50 + random.Next(500));
            Catalogue? catalogue = null;
            try
            {
                disk.CreateDirectory("System");
                disk.SyncDirectory("");
                catalogue = new Catalogue(new FolderDisk(disk, "System"), StoreScene.Storage);
                using var gate = new SemaphoreSlim(1);
                using var store = new CertificateStore(
                    new SystemRows(catalogue, gate, CertificateRow.Tree, CertificateRow.Format),
                    WellKnownAdministrators.None,
                    _clock
                );
                if (open is not null && open.Describe() == CertificateModel.Describe(store))
                    model = open;
                open = null;
                model.Verify(store);
                for (var change = 0; !isLast || change < 30; change++)
                {
                    _clock.Advance(TimeSpan.FromSeconds(1));
                    open = model.Copy();
                    Apply(store, open, random);
                    (model, open) = (open, null);
                    model.Verify(store);
                    applied++;
                }
            }
            catch (Exception end) when (end is PowerCutException or StorageException)
            {
                // Comes at any moment, also while the store is opened.
            }
            disk.Detach();
            try
            {
                catalogue?.Dispose();
            }
            catch (Exception end) when (end is PowerCutException or StorageException)
            {
                // The process is gone; this only gives its memory back.
            }
            disk.Restart(powerCut: true);
        }
        return applied;
    }

    /// <summary>One change by a random client. The model says beforehand whether it is allowed.</summary>
    private void Apply(CertificateStore store, CertificateModel model, SimulatedRandom random)
    {
        var actor = random.OneIn(3) ? null : _pool[random.Next(_pool.Count)];
        var by = actor is null ? Access.Unsecured : store.Identify(actor).Access;
        if (by is null)
            return;
        var target = random.Next(_pool.Count);
        var clearance = (Clearance)random.Next(3);
        var rights = s_databases.Where(_ => random.OneIn(2)).ToDictionary(name => name, _ => (DatabaseRight)(1 + random.Next(3)));
        var given = new NewCertificate($"n{random.Next(4)}", clearance, rights, _pool[target].RawData);
        var told = new List<CertificateChange>();
        store.Changed += told.Add;
        var before = model.Copy();
        Exception? refusal = null;
        var what = random.Next(3);
        var expected = what switch
        {
            0 => model.Put(by, target, given, _clock.GetUtcNow()),
            1 => model.Edit(by, target, given, _clock.GetUtcNow()),
            _ => model.Delete(by, target),
        };
        try
        {
            Task change = what switch
            {
                0 => store.PutAsync(given, by),
                1 => store.EditAsync(_pool[target].Thumbprint, given with { Certificate = default }, by),
                _ => store.DeleteAsync(_pool[target].Thumbprint, by),
            };
            change.GetAwaiter().GetResult();
        }
        catch (Exception e) when (e is AccessDeniedException or CertificateException or CertificateNotFoundException)
        {
            refusal = e;
        }
        Assert.Equal(expected, refusal?.GetType());
        // Whoever lost something must have been told of, so that its connections end.
        foreach (var certificate in _pool)
            if (before.AccessOf(certificate) is { } had && CertificateModel.Loses(had, model.AccessOf(certificate)))
                Assert.Contains(told, change => change.Before.Thumbprint == had.Thumbprint);
    }
}
