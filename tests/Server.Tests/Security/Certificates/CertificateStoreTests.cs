using Jackdaw.Server.Configuration;
using Jackdaw.Server.Security;
using Jackdaw.Server.Security.Certificates;

namespace Jackdaw.Server.Tests.Security.Certificates;

public sealed class CertificateStoreTests : IDisposable
{
    private readonly StoreScene _scene = new();

    private CertificateStore Store => _scene.Store;

    public void Dispose() => _scene.Dispose();

    [Fact]
    public async Task A_stored_certificate_is_recognised_with_its_clearance_and_rights()
    {
        var shop = await _scene.AddAsync("shop", Clearance.ValidUser, ("Orders", DatabaseRight.ReadWrite), ("audit", DatabaseRight.Read));
        var access = _scene.AccessOf(shop);
        Assert.Equal(("shop", shop.Thumbprint, Clearance.ValidUser), (access.Name, access.Thumbprint, access.Clearance));
        Assert.True(access.May("orders", DatabaseRight.ReadWrite));
        Assert.False(access.May("orders", DatabaseRight.Admin));
        Assert.False(access.May("AUDIT", DatabaseRight.ReadWrite));
        Assert.False(access.May("others", DatabaseRight.Read));
    }

    [Fact]
    public void An_unknown_certificate_is_refused_with_its_thumbprint_and_how_to_be_known()
    {
        var unknown = _scene.Key().Certificate("stranger");
        var denial = _scene.DenialOf(unknown);
        Assert.Contains(unknown.Thumbprint, denial, StringComparison.Ordinal);
        Assert.Contains("does not know", denial, StringComparison.Ordinal);
        Assert.Contains("./run certificates client", denial, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Of_two_edits_at_once_of_the_name_and_of_the_rights_neither_is_lost()
    {
        var shop = await _scene.AddAsync("shop", Clearance.ValidUser, ("orders", DatabaseRight.Read));
        // The first waits in the middle of its change until the second one has been asked for.
        using var isAsked = new ManualResetEventSlim();
        var name = Task.Run(() =>
            Store.EditAsync(
                shop.Thumbprint,
                before =>
                {
                    Assert.True(isAsked.Wait(Eventually.Patience));
                    return StoreScene.New("renamed", before.Access.Clearance, null, Rights(before));
                },
                Access.Unsecured
            )
        );
        var rights = Task.Run(() =>
        {
            var edit = Store.EditAsync(
                shop.Thumbprint,
                before => StoreScene.New(before.Name, before.Access.Clearance, null, [.. Rights(before), ("audit", DatabaseRight.Admin)]),
                Access.Unsecured
            );
            isAsked.Set();
            return edit;
        });
        await Task.WhenAll(name, rights);

        var access = _scene.AccessOf(shop);
        Assert.Equal("renamed", access.Name);
        Assert.True(access.May("orders", DatabaseRight.Read) && access.May("audit", DatabaseRight.Admin));

        static (string, DatabaseRight)[] Rights(StoredCertificate certificate) =>
            [.. certificate.Access.Databases.Select(right => (right.Key, right.Value))];
    }

    [Fact]
    public async Task A_certificate_with_the_same_subject_and_another_key_is_a_stranger()
    {
        await _scene.AddAsync("ops", Clearance.ClusterAdmin);
        _scene.DenialOf(_scene.Key().Certificate("ops"));
    }

    [Fact]
    public async Task A_renewed_certificate_of_the_same_key_keeps_the_rights_before_anyone_has_added_it()
    {
        var key = _scene.Key();
        await Store.PutAsync(
            StoreScene.New("shop", Clearance.ValidUser, key.Certificate(to: 10), ("orders", DatabaseRight.Read)),
            Access.Unsecured
        );
        var renewed = key.Certificate(to: 400);
        _scene.Clock.Advance(TimeSpan.FromDays(11));
        var access = _scene.AccessOf(renewed);
        Assert.True(access.May("orders", DatabaseRight.Read));
        Assert.Equal(renewed.NotAfter.ToUniversalTime(), access.ValidUntil);
    }

    [Fact]
    public async Task A_certificate_is_refused_before_and_after_its_dates_and_says_which_clock_it_went_by()
    {
        var key = _scene.Key();
        var future = key.Certificate(from: 5, to: 10);
        await Store.PutAsync(StoreScene.New("later", Clearance.Operator, future), Access.Unsecured);
        Assert.Contains("not valid before", _scene.DenialOf(future), StringComparison.Ordinal);
        _scene.Clock.Advance(TimeSpan.FromDays(6));
        Assert.True(_scene.AccessOf(future).IsOperator);
        _scene.Clock.Advance(TimeSpan.FromDays(6));
        var denial = _scene.DenialOf(future);
        Assert.Contains("expired at", denial, StringComparison.Ordinal);
        Assert.Contains("same key", denial, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(null, true)]
    [InlineData(ClientKey.ForClients, true)]
    [InlineData("2.5.29.37.0", true)]
    [InlineData(ClientKey.ForServers, false)]
    [InlineData("1.3.6.1.5.5.7.3.4", false)]
    public async Task A_certificate_for_another_purpose_is_refused(string? usage, bool isAccepted)
    {
        var certificate = _scene.Key().Certificate(usage: usage);
        await Store.PutAsync(StoreScene.New("one", Clearance.Operator, certificate), Access.Unsecured);
        if (isAccepted)
            _scene.AccessOf(certificate);
        else
            Assert.Contains("another purpose", _scene.DenialOf(certificate), StringComparison.Ordinal);
    }

    [Fact]
    public void The_holder_of_the_servers_own_key_is_an_administrator_whatever_the_purpose_until_it_is_replaced_by_another_key()
    {
        var key = _scene.Key();
        var own = key.Certificate("server", to: 5, usage: ClientKey.ForServers);
        Store.SetOwn(own);
        Assert.True(_scene.AccessOf(own).IsAdministrator);
        Assert.True(_scene.AccessOf(key.Certificate("server", to: 10, usage: ClientKey.ForServers)).IsAdministrator);
        _scene.Clock.Advance(TimeSpan.FromDays(6));
        // The server answers with it all the same; an administrator must get in to mend that.
        Assert.True(_scene.AccessOf(own).IsAdministrator);

        var version = Store.Version;
        Store.SetOwn(key.Certificate("server", to: 400));
        Assert.Empty(_scene.Changes);
        Assert.Contains("expired", _scene.DenialOf(own), StringComparison.Ordinal);

        Store.SetOwn(_scene.Key().Certificate("server", to: 400));
        Assert.Contains("does not know", _scene.DenialOf(own), StringComparison.Ordinal);
        Assert.Equal(version + 2, Store.Version);
        Assert.Null(Assert.Single(_scene.Changes).After);
    }

    [Fact]
    public void Well_known_administrators_are_named_by_either_thumbprint_or_by_their_key()
    {
        using var key = new ClientKey { Clock = _scene.Clock };
        var certificate = key.Certificate();
        var pin = Convert.ToBase64String(System.Security.Cryptography.SHA256.HashData(certificate.PublicKey.ExportSubjectPublicKeyInfo()));
        var sha256 = certificate.GetCertHashString(System.Security.Cryptography.HashAlgorithmName.SHA256);
        var colons = string.Join(':', sha256.Chunk(2).Select(two => new string(two))).ToLowerInvariant();
        foreach (var entry in new[] { certificate.Thumbprint, sha256, colons, $"pin:{pin}", $"{new string('0', 40)} , {sha256}" })
        {
            using var scene = new StoreScene(entry);
            Assert.True(scene.AccessOf(certificate).IsAdministrator, entry);
            scene.DenialOf(_scene.Key().Certificate());
            if (entry.StartsWith("pin:", StringComparison.Ordinal))
                Assert.True(scene.AccessOf(key.Certificate("renewed")).IsAdministrator);
            else
                scene.DenialOf(key.Certificate("renewed"));
            scene.Clock.Advance(TimeSpan.FromDays(400));
            Assert.Contains("expired", scene.DenialOf(certificate), StringComparison.Ordinal);
        }
        Assert.Contains("SHA-1", WellKnownAdministrators.Parse(certificate.Thumbprint).Warning, StringComparison.Ordinal);
        Assert.Null(WellKnownAdministrators.Parse(sha256).Warning);
        foreach (var wrong in new[] { "abc", "pin:abc", "pin:" + Convert.ToBase64String(new byte[31]), new string('g', 40), "pin:" })
            Assert.Contains(
                wrong,
                Assert.Throws<ConfigurationException>(() => WellKnownAdministrators.Parse(wrong)).Message,
                StringComparison.Ordinal
            );
    }

    [Fact]
    public async Task An_operator_can_neither_make_nor_change_nor_delete_an_administrator_nor_raise_itself()
    {
        var admin = await _scene.AddAsync("admin", Clearance.ClusterAdmin);
        var ops = await _scene.AddAsync("ops", Clearance.Operator);
        var user = await _scene.AddAsync("user", Clearance.ValidUser, ("db", DatabaseRight.Admin));
        var by = _scene.AccessOf(ops);
        foreach (
            var attempt in new Func<Task>[]
            {
                () => Store.PutAsync(StoreScene.New("new", Clearance.ClusterAdmin, _scene.Key().Certificate()), by),
                () => Store.PutAsync(StoreScene.New("mine", Clearance.ClusterAdmin, ops), by),
                () => Store.EditAsync(ops.Thumbprint, StoreScene.New("ops", Clearance.ClusterAdmin, null), by),
                () => Store.EditAsync(user.Thumbprint, StoreScene.New("user", Clearance.ClusterAdmin, null), by),
                () => Store.EditAsync(admin.Thumbprint, StoreScene.New("admin", Clearance.ValidUser, null), by),
                () => Store.PutAsync(StoreScene.New("admin", Clearance.ValidUser, admin), by),
                () => Store.DeleteAsync(admin.Thumbprint, by),
            }
        )
            Assert.Contains(
                "requires the clearance ClusterAdmin",
                (await Assert.ThrowsAsync<AccessDeniedException>(attempt)).Message,
                StringComparison.Ordinal
            );
        var byUser = _scene.AccessOf(user);
        await Assert.ThrowsAsync<AccessDeniedException>(() => Store.DeleteAsync(ops.Thumbprint, byUser));
        await Assert.ThrowsAsync<AccessDeniedException>(() =>
            Store.PutAsync(StoreScene.New("x", Clearance.ValidUser, _scene.Key().Certificate()), byUser)
        );
        Assert.Equal([Clearance.ClusterAdmin, Clearance.Operator, Clearance.ValidUser], Store.List().Select(one => one.Clearance));
        Assert.Empty(_scene.Changes);
        await Store.EditAsync(user.Thumbprint, StoreScene.New("user", Clearance.Operator, null), by);
        await Store.DeleteAsync(user.Thumbprint, by);
    }

    [Fact]
    public async Task An_operator_cannot_store_another_certificate_of_an_administrators_key()
    {
        var key = _scene.Key();
        await Store.PutAsync(StoreScene.New("admin", Clearance.ClusterAdmin, key.Certificate()), Access.Unsecured);
        var by = _scene.AccessOf(await _scene.AddAsync("ops", Clearance.Operator));
        var renewed = key.Certificate();
        await Assert.ThrowsAsync<AccessDeniedException>(() => Store.PutAsync(StoreScene.New("less", Clearance.ValidUser, renewed), by));
        Assert.True(_scene.AccessOf(renewed).IsAdministrator);
    }

    [Fact]
    public async Task Of_two_administrators_who_delete_each_other_one_remains()
    {
        for (var round = 0; round < 20; round++)
        {
            var (one, other) = (
                await _scene.AddAsync("one", Clearance.ClusterAdmin),
                await _scene.AddAsync("other", Clearance.ClusterAdmin)
            );
            var (accessOfOne, accessOfOther) = (_scene.AccessOf(one), _scene.AccessOf(other));
            var outcomes = await Task.WhenAll(
                Outcome(Task.Run(() => Store.DeleteAsync(other.Thumbprint, accessOfOne))),
                Outcome(Task.Run(() => Store.DeleteAsync(one.Thumbprint, accessOfOther)))
            );
            Assert.Single(outcomes, outcome => outcome is null);
            Assert.IsType<AccessDeniedException>(Assert.Single(outcomes, outcome => outcome is not null));
            var remaining = Assert.Single(Store.List());
            // The last one goes, too: the holder of the server's own certificate remains.
            await Store.DeleteAsync(remaining.Thumbprint, Access.Unsecured);
        }
    }

    [Fact]
    public async Task Nobody_deletes_the_certificate_that_the_request_itself_uses()
    {
        var admin = await _scene.AddAsync("admin", Clearance.ClusterAdmin);
        var refusal = await Assert.ThrowsAsync<CertificateException>(() => Store.DeleteAsync(admin.Thumbprint, _scene.AccessOf(admin)));
        Assert.Contains("this request uses", refusal.Message, StringComparison.Ordinal);
        Assert.Equal(1, Store.Count);
    }

    [Fact]
    public async Task The_gate_is_told_of_what_may_do_less_and_of_nothing_else()
    {
        var user = await _scene.AddAsync("user", Clearance.ValidUser, ("a", DatabaseRight.ReadWrite), ("b", DatabaseRight.Read));
        async Task EditAsync(Clearance clearance, params (string, DatabaseRight)[] rights)
        {
            _scene.Changes.Clear();
            var before = Store.Version;
            await Store.EditAsync(user.Thumbprint, StoreScene.New("user", clearance, null, rights), Access.Unsecured);
            Assert.Equal(before + 1, Store.Version);
        }
        await EditAsync(Clearance.ValidUser, ("a", DatabaseRight.Admin), ("b", DatabaseRight.Read), ("c", DatabaseRight.Read));
        Assert.Empty(_scene.Changes);
        await EditAsync(Clearance.Operator);
        Assert.Empty(_scene.Changes);
        await EditAsync(Clearance.ValidUser, ("A", DatabaseRight.Admin), ("b", DatabaseRight.Read));
        Assert.Equal(Clearance.ValidUser, Assert.Single(_scene.Changes).After!.Clearance);
        await EditAsync(Clearance.ValidUser, ("A", DatabaseRight.ReadWrite), ("b", DatabaseRight.Read));
        Assert.Single(_scene.Changes);
        await EditAsync(Clearance.ValidUser, ("A", DatabaseRight.ReadWrite));
        Assert.Single(_scene.Changes);
        _scene.Changes.Clear();
        await Store.DeleteAsync(user.Thumbprint, Access.Unsecured);
        Assert.Null(Assert.Single(_scene.Changes).After);
        _scene.DenialOf(user);
    }

    [Fact]
    public async Task Bad_input_is_refused_with_the_limit_and_stores_nothing()
    {
        var good = _scene.Key().Certificate();
        async Task RefusedAsync(NewCertificate given, string told)
        {
            var refusal = await Assert.ThrowsAsync<CertificateException>(() => Store.PutAsync(given, Access.Unsecured));
            Assert.Contains(told, refusal.Message, StringComparison.Ordinal);
        }
        await RefusedAsync(StoreScene.New("", Clearance.ValidUser, good), "1 to 256 characters");
        await RefusedAsync(StoreScene.New(" ", Clearance.ValidUser, good), "1 to 256 characters");
        await RefusedAsync(StoreScene.New(new string('x', 257), Clearance.ValidUser, good), "this one has 257");
        await RefusedAsync(StoreScene.New("a\nb", Clearance.ValidUser, good), "control characters");
        await RefusedAsync(StoreScene.New(OwnCertificate.Name, Clearance.ValidUser, good), "reserved");
        await RefusedAsync(StoreScene.New("x", Clearance.ValidUser, good, ("a/b", DatabaseRight.Read)), "a/b");
        await RefusedAsync(
            StoreScene.New("x", Clearance.ValidUser, good, [.. Enumerable.Range(0, 1001).Select(i => ($"db{i}", DatabaseRight.Read))]),
            "1,001"
        );
        await RefusedAsync(new NewCertificate("x", Clearance.ValidUser, new Dictionary<string, DatabaseRight>(), default), "not an X.509");
        await RefusedAsync(
            new NewCertificate("x", Clearance.ValidUser, new Dictionary<string, DatabaseRight>(), new byte[500]),
            "not an X.509"
        );
        await RefusedAsync(
            new NewCertificate("x", Clearance.ValidUser, new Dictionary<string, DatabaseRight>(), new byte[102_400]),
            "102,400 bytes; the limit is 65,536"
        );
        Store.SetOwn(good);
        await RefusedAsync(StoreScene.New("x", Clearance.ValidUser, good), "server's own key");
        Assert.Equal(0, Store.Count);
        await Store.PutAsync(
            StoreScene.New(new string('ü', 256), Clearance.ValidUser, _scene.Key().Certificate(extensionBytes: 60_000)),
            Access.Unsecured
        );
        await Assert.ThrowsAsync<CertificateNotFoundException>(() => Store.DeleteAsync("00", Access.Unsecured));
        await Assert.ThrowsAsync<CertificateNotFoundException>(() =>
            Store.EditAsync(new string('0', 64), StoreScene.New("x", Clearance.ValidUser, null), Access.Unsecured)
        );
    }

    [Fact]
    public async Task A_weak_RSA_key_is_refused()
    {
        using var weak = System.Security.Cryptography.RSA.Create(1024);
        var request = new System.Security.Cryptography.X509Certificates.CertificateRequest(
            "CN=weak",
            weak,
            System.Security.Cryptography.HashAlgorithmName.SHA256,
            System.Security.Cryptography.RSASignaturePadding.Pkcs1
        );
        using var certificate = request.CreateSelfSigned(_scene.Clock.GetUtcNow(), _scene.Clock.GetUtcNow().AddDays(1));
        var refusal = await Assert.ThrowsAsync<CertificateException>(() =>
            Store.PutAsync(StoreScene.New("weak", Clearance.ValidUser, certificate), Access.Unsecured)
        );
        Assert.Contains("1,024 bits", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Storing_a_certificate_again_replaces_its_name_and_rights_and_keeps_one_record()
    {
        var user = await _scene.AddAsync("user", Clearance.ValidUser, ("a", DatabaseRight.Read));
        await Store.PutAsync(StoreScene.New("renamed", Clearance.ValidUser, user, ("b", DatabaseRight.Read)), Access.Unsecured);
        Assert.Equal("renamed", Assert.Single(Store.List()).Name);
        Assert.False(_scene.AccessOf(user).May("a", DatabaseRight.Read));
        Assert.Single(_scene.Changes);
        Assert.Equal(user.RawData, Store.Bytes(Store.Find(user.Thumbprint)!));
    }

    [Fact]
    public async Task Identifying_a_stored_certificate_allocates_nothing()
    {
        var user = await _scene.AddAsync("user", Clearance.Operator);
        for (var i = 0; i < 100; i++)
            Store.Identify(user);
        var before = GC.GetAllocatedBytesForCurrentThread();
        for (var i = 0; i < 1000; i++)
            Store.Identify(user);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 1000);
    }

    private static async Task<Exception?> Outcome(Task<StoredCertificate> change)
    {
        try
        {
            await change;
            return null;
        }
        catch (Exception e) when (e is AccessDeniedException or CertificateException or CertificateNotFoundException)
        {
            return e;
        }
    }
}
